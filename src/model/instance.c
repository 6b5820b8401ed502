#include "model/instance.h"

#include <math.h>

#define GIB(x) ((x)*1073741824.0)
#define GBIT(x) ((x)*1.25e8)

/* AWS: cores, memory and network of karpenter-provider-aws, reference/instance-types (2026); Google: the machine types
   of Cyclenerd's price calculator (2026); Azure: the vendor's series. Prices: us-east-1, 2026-11. */
/* clang-format off */
static const struct dlq_instance rows[] = {
    {"g4dn.xlarge",       "T4",       1,   4, GIB(16),   GBIT(5),    0.526},
    {"g4dn.12xlarge",     "T4",       4,  48, GIB(192),  GBIT(50),   NAN},
    {"g5.xlarge",         "A10G",     1,   4, GIB(16),   GBIT(2.5),  NAN},
    {"g5.12xlarge",       "A10G",     4,  48, GIB(192),  GBIT(40),   NAN},
    {"g5.48xlarge",       "A10G",     8, 192, GIB(768),  GBIT(100),  NAN},
    {"g6.xlarge",         "L4",       1,   4, GIB(16),   GBIT(2.5),  NAN},
    {"g6.48xlarge",       "L4",       8, 192, GIB(768),  GBIT(100),  NAN},
    {"g6e.xlarge",        "L40S",     1,   4, GIB(32),   GBIT(2.5),  NAN},
    {"g6e.12xlarge",      "L40S",     4,  48, GIB(384),  GBIT(100),  NAN},
    {"g6e.48xlarge",      "L40S",     8, 192, GIB(1536), GBIT(400),  NAN},
    {"p3dn.24xlarge",     "V100-32",  8,  96, GIB(768),  GBIT(100),  NAN},
    {"p4d.24xlarge",      "A100-40",  8,  96, GIB(1152), GBIT(400),  21.96},
    {"p4de.24xlarge",     "A100-80",  8,  96, GIB(1152), GBIT(400),  27.45},
    {"p5.4xlarge",        "H100",     1,  16, GIB(256),  GBIT(100),  NAN},
    {"p5.48xlarge",       "H100",     8, 192, GIB(2048), GBIT(3200), 55.04},
    {"p5en.48xlarge",     "H200",     8, 192, GIB(2048), GBIT(3200), 63.30},
    {"p6-b200.48xlarge",  "B200",     8, 192, GIB(2048), GBIT(3200), NAN},
    {"p6-b300.48xlarge",  "B300",     8, 192, GIB(4096), GBIT(6400), NAN},
    {"a2-highgpu-1g",     "A100-40",  1,  12, GIB(85),   NAN,        NAN},
    {"a2-highgpu-8g",     "A100-40",  8,  96, GIB(680),  NAN,        NAN},
    {"a2-ultragpu-8g",    "A100-80",  8,  96, GIB(1360), NAN,        NAN},
    {"a2-megagpu-16g",    "A100-40", 16,  96, GIB(1360), NAN,        NAN},
    {"a3-highgpu-1g",     "H100",     1,  26, GIB(234),  NAN,        NAN},
    {"a3-highgpu-8g",     "H100",     8, 208, GIB(1872), NAN,        NAN},
    {"a3-megagpu-8g",     "H100",     8, 208, GIB(1872), NAN,        NAN},
    {"a3-ultragpu-8g",    "H200",     8, 224, GIB(2952), NAN,        NAN},
    {"a4-highgpu-8g",     "B200",     8, 224, GIB(3968), NAN,        NAN},
    {"ND96asr_v4",        "A100-40",  8,  96, GIB(900),  NAN,        NAN},
    {"ND96amsr_A100_v4",  "A100-80",  8,  96, NAN,       NAN,        NAN},
    {"ND96isr_H100_v5",   "H100",     8,  96, GIB(1900), NAN,        NAN},
    {"NC40ads_H100_v5",   "H100-94",  1,  40, GIB(320),  NAN,        6.98},
    {"NC80adis_H100_v5",  "H100-94",  2,  80, GIB(640),  NAN,        NAN},
};
/* clang-format on */

const char *const dlq_instance_names[] = {
    "none",
    "g4dn.xlarge",
    "g4dn.12xlarge",
    "g5.xlarge",
    "g5.12xlarge",
    "g5.48xlarge",
    "g6.xlarge",
    "g6.48xlarge",
    "g6e.xlarge",
    "g6e.12xlarge",
    "g6e.48xlarge",
    "p3dn.24xlarge",
    "p4d.24xlarge",
    "p4de.24xlarge",
    "p5.4xlarge",
    "p5.48xlarge",
    "p5en.48xlarge",
    "p6-b200.48xlarge",
    "p6-b300.48xlarge",
    "a2-highgpu-1g",
    "a2-highgpu-8g",
    "a2-ultragpu-8g",
    "a2-megagpu-16g",
    "a3-highgpu-1g",
    "a3-highgpu-8g",
    "a3-megagpu-8g",
    "a3-ultragpu-8g",
    "a4-highgpu-8g",
    "ND96asr_v4",
    "ND96amsr_A100_v4",
    "ND96isr_H100_v5",
    "NC40ads_H100_v5",
    "NC80adis_H100_v5",
    NULL,
};

const struct dlq_instance *dlq_instance_at(int word)
{
    return word > 0 ? &rows[word - 1] : NULL;
}

static void fill(double *value, double known)
{
    if (isnan(*value))
        *value = known;
}

void dlq_instance_fill(struct dlq_host *host)
{
    const struct dlq_instance *instance = dlq_instance_at(host->instance);
    if (instance == NULL)
        return;
    if (host->ranks_per_host == 0)
        host->ranks_per_host = instance->gpus;
    fill(&host->cores, instance->cores);
    fill(&host->memory, instance->memory);
    fill(&host->bandwidth, instance->bandwidth);
    fill(&host->price, instance->price);
}
