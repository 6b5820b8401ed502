/* The table of cloud instances, with the source of each row. */
#include "model/model.h"

#include <math.h>

#define GIB(x) ((x)*1073741824.0)
#define GBIT(x) ((x)*1.25e8)
#define GB(x) ((x)*1e9)

#define AWS "aws/karpenter-provider-aws 1d92708, reference/instance-types"
#define GCP "Cyclenerd/google-cloud-pricing-cost-calculator dac3128, machinetyperegion.csv"
#define AZURE "aspire.dev, generated list of VM sizes"
#define RECEIPTS(region) "; price: data-receipts, hyperscalers.json, " region " on demand, retrieved 2026-11-09"

/* Numbers of a row: GPUs, vCPUs, GiB, Gbit/s, GB of NVMe drives, US dollars per hour. NAN: the source has no figure or
   a range, or its text ends before the figure. Of a2-highgpu, a3-highgpu and g2-standard the source has the smallest
   and the largest size; the sizes between have the same vCPUs and memory per GPU, of g2-standard 4 GiB per vCPU. */
/* clang-format off */
#define INSTANCES(ROW) \
    ROW("g4dn.xlarge",       "AWS",   "T4",       1,   4,   16,  5,    125,   0.526, AWS "; price: securemachinery") \
    ROW("g4dn.12xlarge",     "AWS",   "T4",       4,  48,  192,  50,   900,   NAN,   AWS) \
    ROW("g5.xlarge",         "AWS",   "A10G",     1,   4,   16,  2.5,  250,   NAN,   AWS) \
    ROW("g5.12xlarge",       "AWS",   "A10G",     4,  48,  192,  40,   3800,  NAN,   AWS) \
    ROW("g5.48xlarge",       "AWS",   "A10G",     8, 192,  768,  100,  7600,  NAN,   AWS) \
    ROW("g6.xlarge",         "AWS",   "L4",       1,   4,   16,  2.5,  250,   NAN,   AWS) \
    ROW("g6.48xlarge",       "AWS",   "L4",       8, 192,  768,  100,  7520,  NAN,   AWS) \
    ROW("g6e.xlarge",        "AWS",   "L40S",     1,   4,   32,  2.5,  250,   NAN,   AWS) \
    ROW("g6e.12xlarge",      "AWS",   "L40S",     4,  48,  384,  100,  3800,  NAN,   AWS) \
    ROW("g6e.48xlarge",      "AWS",   "L40S",     8, 192, 1536,  400,  7600,  NAN,   AWS) \
    ROW("p3dn.24xlarge",     "AWS",   "V100-32",  8,  96,  768,  100,  1800,  NAN,   AWS) \
    ROW("p4d.24xlarge",      "AWS",   "A100-40",  8,  96, 1152,  400,  8000,  21.96, AWS RECEIPTS("us-east-1")) \
    ROW("p4de.24xlarge",     "AWS",   "A100-80",  8,  96, 1152,  400,  8000,  27.45, AWS RECEIPTS("us-east-1")) \
    ROW("p5.4xlarge",        "AWS",   "H100",     1,  16,  256,  100,  3800,  NAN,   AWS) \
    ROW("p5.48xlarge",       "AWS",   "H100",     8, 192, 2048,  3200, 30400, 55.04, AWS RECEIPTS("us-east-1")) \
    ROW("p5en.48xlarge",     "AWS",   "H200",     8, 192, 2048,  3200, 30400, 63.30, AWS "; price: dstack, PR 4110") \
    ROW("p6-b200.48xlarge",  "AWS",   "B200",     8, 192, 2048,  3200, 30400, NAN,   AWS) \
    ROW("p6-b300.48xlarge",  "AWS",   "B300",     8, 192, 4096,  6400, 30400, NAN,   AWS) \
    ROW("a2-highgpu-1g",     "GCP",   "A100-40",  1,  12,   85,  NAN,  NAN,   NAN,   GCP) \
    ROW("a2-highgpu-2g",     "GCP",   "A100-40",  2,  24,  170,  NAN,  NAN,   NAN,   GCP) \
    ROW("a2-highgpu-4g",     "GCP",   "A100-40",  4,  48,  340,  NAN,  NAN,   NAN,   GCP) \
    ROW("a2-highgpu-8g",     "GCP",   "A100-40",  8,  96,  680,  NAN,  NAN,   NAN,   GCP) \
    ROW("a2-megagpu-16g",    "GCP",   "A100-40", 16,  96, 1360,  NAN,  NAN,   NAN,   GCP) \
    ROW("a2-ultragpu-8g",    "GCP",   "A100-80",  8,  96, 1360,  NAN,  NAN,   NAN,   GCP) \
    ROW("a3-highgpu-1g",     "GCP",   "H100",     1,  26,  234,  NAN,  NAN,   NAN,   GCP) \
    ROW("a3-highgpu-2g",     "GCP",   "H100",     2,  52,  468,  NAN,  NAN,   NAN,   GCP) \
    ROW("a3-highgpu-4g",     "GCP",   "H100",     4, 104,  936,  NAN,  NAN,   NAN,   GCP) \
    ROW("a3-highgpu-8g",     "GCP",   "H100",     8, 208, 1872,  NAN,  NAN,   NAN,   GCP) \
    ROW("a3-megagpu-8g",     "GCP",   "H100",     8, 208, 1872,  NAN,  NAN,   NAN,   GCP) \
    ROW("a3-ultragpu-8g",    "GCP",   "H200",     8, 224, 2952,  NAN,  NAN,   NAN,   GCP) \
    ROW("a4-highgpu-8g",     "GCP",   "B200",     8, 224, 3968,  NAN,  NAN,   NAN,   GCP) \
    ROW("g2-standard-4",     "GCP",   "L4",       1,   4,   16,  NAN,  NAN,   NAN,   GCP) \
    ROW("g2-standard-8",     "GCP",   "L4",       1,   8,   32,  NAN,  NAN,   NAN,   GCP) \
    ROW("g2-standard-12",    "GCP",   "L4",       1,  12,   48,  NAN,  NAN,   NAN,   GCP) \
    ROW("g2-standard-16",    "GCP",   "L4",       1,  16,   64,  NAN,  NAN,   NAN,   GCP) \
    ROW("g2-standard-24",    "GCP",   "L4",       2,  24,   96,  NAN,  NAN,   NAN,   GCP) \
    ROW("g2-standard-32",    "GCP",   "L4",       1,  32,  128,  NAN,  NAN,   NAN,   GCP) \
    ROW("g2-standard-48",    "GCP",   "L4",       4,  48,  192,  NAN,  NAN,   NAN,   GCP) \
    ROW("g2-standard-96",    "GCP",   "L4",       8,  96,  384,  NAN,  NAN,   NAN,   GCP) \
    ROW("ND96asr_v4",        "Azure", "A100-40",  8,  96,  900,  NAN,  NAN,   NAN,   AZURE) \
    ROW("ND96amsr_A100_v4",  "Azure", "A100-80",  8,  96,  NAN,  NAN,  NAN,   NAN,   AZURE) \
    ROW("ND96isr_H100_v5",   "Azure", "H100",     8,  96, 1900,  NAN,  NAN,   NAN,   AZURE) \
    ROW("NC24ads_A100_v4",   "Azure", "A100-80",  1,  24,  NAN,  NAN,  NAN,   3.67,  AZURE RECEIPTS("eastus")) \
    ROW("NC96ads_A100_v4",   "Azure", "A100-80",  4,  96,  NAN,  NAN,  NAN,   NAN,   AZURE) \
    ROW("NC40ads_H100_v5",   "Azure", "H100-94",  1,  40,  320,  NAN,  NAN,   6.98,  AZURE RECEIPTS("eastus")) \
    ROW("NC80adis_H100_v5",  "Azure", "H100-94",  2,  80,  640,  NAN,  NAN,   NAN,   AZURE)

#define INSTANCE(name, provider, gpu, gpus, vcpus, memory, network, storage, price, source) \
    {name, provider, gpu, gpus, vcpus, GIB(memory), GBIT(network), GB(storage), price, source},
#define NAME(name, provider, gpu, gpus, vcpus, memory, network, storage, price, source) name,
/* clang-format on */

static const struct dlq_instance rows[] = {INSTANCES(INSTANCE)};

const char *const dlq_instance_names[] = {"none", INSTANCES(NAME) NULL};

const struct dlq_instance *dlq_instances(size_t *count)
{
    *count = sizeof rows / sizeof *rows;
    return rows;
}

const struct dlq_instance *dlq_instance_at(int index)
{
    return index > 0 ? &rows[index - 1] : NULL;
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
    fill(&host->cores, instance->vcpus);
    fill(&host->memory, instance->memory);
    if (isnan(host->bandwidth))
        host->bandwidth_unit = DLQ_UNIT_BIT_RATE;
    fill(&host->bandwidth, instance->bandwidth);
    fill(&host->price, instance->price);
}

struct dlq_host dlq_instance_host(const struct dlq_host *host, int index)
{
    struct dlq_host bare = *host;
    bare.instance = index;
    bare.ranks_per_host = 0;
    bare.cores = bare.memory = bare.shm = bare.bandwidth = bare.price = NAN;
    dlq_instance_fill(&bare);
    return bare;
}
