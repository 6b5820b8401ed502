#include "base/unit.h"

/* 1 KB = 1000 B and 1 KiB = 1024 B (IEC 80000-13); 8 bits = 1 byte. Bits per second are 2^-3 bytes per second. */
const struct dlq_unit_row dlq_unit_rows[] = {
    {DLQ_UNIT_TIME, "ns", -9, 0, 1, DLQ_UNIT_SHOWN},       {DLQ_UNIT_TIME, "us", -6, 0, 1, DLQ_UNIT_SHOWN},
    {DLQ_UNIT_TIME, "\xC2\xB5s", -6, 0, 1, DLQ_UNIT_READ}, /* micro sign */
    {DLQ_UNIT_TIME, "\xCE\xBCs", -6, 0, 1, DLQ_UNIT_READ}, /* Greek mu */
    {DLQ_UNIT_TIME, "ms", -3, 0, 1, DLQ_UNIT_SHOWN},       {DLQ_UNIT_TIME, "s", 0, 0, 1, DLQ_UNIT_SHOWN},
    {DLQ_UNIT_TIME, "min", 0, 0, 60, DLQ_UNIT_SHOWN},      {DLQ_UNIT_TIME, "h", 0, 0, 3600, DLQ_UNIT_SHOWN},
    {DLQ_UNIT_TIME, "d", 0, 0, 86400, DLQ_UNIT_SHOWN},

    {DLQ_UNIT_SIZE, "B", 0, 0, 1, DLQ_UNIT_SHOWN},         {DLQ_UNIT_SIZE, "KB", 3, 0, 1, DLQ_UNIT_SHOWN},
    {DLQ_UNIT_SIZE, "kB", 3, 0, 1, DLQ_UNIT_READ},         {DLQ_UNIT_SIZE, "KiB", 0, 10, 1, DLQ_UNIT_EXACT},
    {DLQ_UNIT_SIZE, "MB", 6, 0, 1, DLQ_UNIT_SHOWN},        {DLQ_UNIT_SIZE, "MiB", 0, 20, 1, DLQ_UNIT_EXACT},
    {DLQ_UNIT_SIZE, "GB", 9, 0, 1, DLQ_UNIT_SHOWN},        {DLQ_UNIT_SIZE, "GiB", 0, 30, 1, DLQ_UNIT_EXACT},
    {DLQ_UNIT_SIZE, "TB", 12, 0, 1, DLQ_UNIT_SHOWN},       {DLQ_UNIT_SIZE, "TiB", 0, 40, 1, DLQ_UNIT_EXACT},

    {DLQ_UNIT_RATE, "b/s", 0, -3, 1, DLQ_UNIT_READ},       {DLQ_UNIT_RATE, "bit/s", 0, -3, 1, DLQ_UNIT_READ},
    {DLQ_UNIT_RATE, "B/s", 0, 0, 1, DLQ_UNIT_SHOWN},       {DLQ_UNIT_RATE, "Kb/s", 3, -3, 1, DLQ_UNIT_EXACT},
    {DLQ_UNIT_RATE, "kbit/s", 3, -3, 1, DLQ_UNIT_READ},    {DLQ_UNIT_RATE, "Kbit/s", 3, -3, 1, DLQ_UNIT_READ},
    {DLQ_UNIT_RATE, "KB/s", 3, 0, 1, DLQ_UNIT_SHOWN},      {DLQ_UNIT_RATE, "kB/s", 3, 0, 1, DLQ_UNIT_READ},
    {DLQ_UNIT_RATE, "KiB/s", 0, 10, 1, DLQ_UNIT_EXACT},    {DLQ_UNIT_RATE, "Mb/s", 6, -3, 1, DLQ_UNIT_EXACT},
    {DLQ_UNIT_RATE, "Mbit/s", 6, -3, 1, DLQ_UNIT_READ},    {DLQ_UNIT_RATE, "MB/s", 6, 0, 1, DLQ_UNIT_SHOWN},
    {DLQ_UNIT_RATE, "MiB/s", 0, 20, 1, DLQ_UNIT_EXACT},    {DLQ_UNIT_RATE, "Gb/s", 9, -3, 1, DLQ_UNIT_EXACT},
    {DLQ_UNIT_RATE, "Gbit/s", 9, -3, 1, DLQ_UNIT_READ},    {DLQ_UNIT_RATE, "GB/s", 9, 0, 1, DLQ_UNIT_SHOWN},
    {DLQ_UNIT_RATE, "GiB/s", 0, 30, 1, DLQ_UNIT_EXACT},    {DLQ_UNIT_RATE, "Tb/s", 12, -3, 1, DLQ_UNIT_EXACT},
    {DLQ_UNIT_RATE, "Tbit/s", 12, -3, 1, DLQ_UNIT_READ},   {DLQ_UNIT_RATE, "TB/s", 12, 0, 1, DLQ_UNIT_SHOWN},
    {DLQ_UNIT_RATE, "TiB/s", 0, 40, 1, DLQ_UNIT_EXACT},

    {DLQ_UNIT_SHARE, "%", -2, 0, 1, DLQ_UNIT_SHOWN},       {DLQ_UNIT_SHARE, "", 0, 0, 1, DLQ_UNIT_READ},
    {DLQ_UNIT_COUNT, "", 0, 0, 1, DLQ_UNIT_SHOWN},         {DLQ_UNIT_FACTOR, "", 0, 0, 1, DLQ_UNIT_SHOWN},
    {DLQ_UNIT_FACTOR, "x", 0, 0, 1, DLQ_UNIT_READ},        {DLQ_UNIT_NUMBER, "", 0, 0, 1, DLQ_UNIT_SHOWN},
    {DLQ_UNIT_RATIO, "", 0, 0, 1, DLQ_UNIT_SHOWN},         {DLQ_UNIT_RATIO, "%", -2, 0, 1, DLQ_UNIT_READ},
    {DLQ_UNIT_NUMBER, NULL, 0, 0, 0, DLQ_UNIT_READ},
};

const struct dlq_unit_kind *dlq_unit_kind(enum dlq_unit unit)
{
    static const struct dlq_unit_kind kinds[] = {
        [DLQ_UNIT_TIME] = {"a time", "700ms, 2s"},       [DLQ_UNIT_SIZE] = {"a size", "110KB, 1.2GiB"},
        [DLQ_UNIT_RATE] = {"a rate", "2GB/s, 400Gb/s"},  [DLQ_UNIT_SHARE] = {"a share", "95%, 0.95"},
        [DLQ_UNIT_COUNT] = {"a whole number", "8, 1e6"}, [DLQ_UNIT_FACTOR] = {"a factor", "3, 1.5x"},
        [DLQ_UNIT_NUMBER] = {"a number", "2.5, 1e-3"},   [DLQ_UNIT_RATIO] = {"a number or a share", "0.3, 30%"},
    };
    return &kinds[unit];
}
