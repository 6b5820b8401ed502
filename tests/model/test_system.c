/* What follows from a configuration: window, servers, shares of the host, memory. */
#include "read.h"

#define STEP "[step]\nmean = 100ms\n"
#define WORK "[load]\nmean = 700ms\nuses = cpu\n[step]\nmean = 100ms\n[pipeline]\n"

static const struct {
    const char *text;
    long window, in_flight, servers;
    double threads, load_mean;
} shapes[] = {
    {"loaders = 7\n", 14, 14, 7, 1, 0.7},
    {"loaders = 7\nprefetch = 5\n", 35, 35, 7, 1, 0.7},
    {"loaders = 7\nwindow = 9\n", 9, 9, 7, 1, 0.7},
    {"loaders = 7\nwindow = unbounded\n", DLQ_UNBOUNDED, DLQ_UNBOUNDED, 7, 1, 0.7},
    {"loaders = 0\n", 1, 1, 1, 1, 0.7},
    {"loader = serial\nloaders = 0\n", 1, 1, 1, 1, 0.7},
    {"loader = pytorch-unordered\nloaders = 3\nwindow = 12\n", 12, 12, 3, 1, 0.7},
    {"loader = tfdata\nloaders = 7\nprefetch = 4\n", 7, 11, 7, 1, 0.7},
    {"loader = tfdata-unordered\nloaders = 7\nprefetch = 4\n", 11, 11, 7, 1, 0.7},
    {"loader = dali\nloaders = 7\n", 2, 2, 1, 7, 0.1},
    {"loader = ffcv\nloaders = 7\n", 4, 4, 1, 7, 0.1},
    {"loader = keras\nloaders = 7\n", 11, 12, 7, 1, 0.7},
    {"loader = mxnet\nloaders = 7\n", 14, 15, 7, 1, 0.7},
    {"loader = mxnet\nloaders = 7\nwindow = unbounded\n", DLQ_UNBOUNDED, DLQ_UNBOUNDED, 7, 1, 0.7},
};

static void shape(void)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct built *built = good(WORK, shapes[i].text);
        const struct dlq_system *system = &built->system;
        CHECK_INT(dlq_system_window(system), shapes[i].window);
        CHECK_INT(dlq_system_in_flight(system), shapes[i].in_flight);
        CHECK_INT(dlq_system_servers(system), shapes[i].servers);
        CHECK_VALUE(dlq_system_threads(system), shapes[i].threads);
        CHECK_VALUE(dlq_system_load_mean(system), shapes[i].load_mean);
        CHECK(dlq_system_is_serial(system) == (system->pipeline.loaders == 0), "serial");
    }
}

/* Everything that a file can say, as it says it. */
static void fields(void)
{
    const struct dlq_system *s =
        &good("[pipeline]\nname = A, b\nloader = ffcv\nloaders = 12\nprefetch = 5\nranks = 16\nbatch_size = 256\n"
              "epoch_batches = 5005\npersistent = yes\nslow_ranks = 2\nslow_factor = 2.5x\n"
              "[overheads]\nstartup = 3s\ndispatch = 1ms\ndeliver = 2ms\nreceive = 3ms\npin_time = 4ms\nbarrier = 5ms\n"
              "[load]\nmean = 700ms\n[step]\nmean = 100ms\n"
              "[host]\nranks_per_host = 8\ncores = 95.5\nmemory = 2GiB\nshm = 1GB\nbandwidth = 400Gb/s\n"
              "loader_memory = 1.2GB\nbatch_bytes = 110KB\nprice = 21.96\n[storage]\nbandwidth = 100GB/s\n",
              "")
             ->system;
    CHECK_TEXT(s->pipeline.name, "A, b");
    CHECK_TEXT(dlq_system_loader(s)->name, "ffcv");
    CHECK(s->pipeline.ranks == 16 && s->pipeline.batch_size == 256 && s->pipeline.epoch_batches == 5005, "counts");
    CHECK(s->pipeline.persistent && s->has_batch_size && s->pipeline.slow_ranks == 2, "flags");
    CHECK_VALUE(s->pipeline.slow_factor, 2.5);
    const double times[] = {s->overheads.startup, 3,     s->overheads.dispatch, 0.001,  s->overheads.deliver, 0.002,
                            s->overheads.receive, 0.003, s->overheads.pin_time, 0.004,  s->overheads.barrier, 0.005,
                            s->host.cores,        95.5,  s->host.memory,        0x1p31, s->host.shm,          1e9,
                            s->host.bandwidth,    5e10,  s->host.loader_memory, 1.2e9,  s->host.batch_bytes,  1.1e5,
                            s->host.price,        21.96, s->storage.bandwidth,  1e11};
    for (size_t i = 0; i < sizeof times / sizeof *times; i += 2)
        CHECK_VALUE(times[i], times[i + 1]);
}

/* C / ranks_per_host, C_storage / R; what is not given does not bind. */
static const struct {
    const char *text;
    double cores, host, storage, bandwidth, cpu_factor;
    bool shares;
} shares[] = {
    {"loaders = 4\n", INFINITY, INFINITY, INFINITY, INFINITY, 1, false},
    {"loaders = 4\n[host]\ncores = 8\n", 8, INFINITY, INFINITY, INFINITY, 1, false},
    {"loaders = 4\n[host]\ncores = 3\n", 3, INFINITY, INFINITY, INFINITY, 4.0 / 3, true},
    {"loaders = 4\nwindow = 2\n[host]\ncores = 3\n", 3, INFINITY, INFINITY, INFINITY, 1, false},
    {"loaders = 4\nranks = 6\n[host]\ncores = 12\n", 2, INFINITY, INFINITY, INFINITY, 2, true},
    {"loaders = 4\nranks = 6\n[host]\ncores = 12\nranks_per_host = 2\n", 6, INFINITY, INFINITY, INFINITY, 1, false},
    {"loaders = 4\nranks = 6\n[host]\nranks_per_host = 2\nbandwidth = 3GB/s\n[storage]\nbandwidth = 6GB/s\n", INFINITY,
     1.5e9, 1e9, 1e9, 1, false},
    {"loader = dali\nloaders = 4\n[host]\ncores = 3\n", 3, INFINITY, INFINITY, INFINITY, 4.0 / 3, true},
    {"loaders = 0\n[host]\ncores = 1\n", 1, INFINITY, INFINITY, INFINITY, 1, false},
    {"loaders = 0\nranks = 4\n[host]\ncores = 1\n", 0.25, INFINITY, INFINITY, INFINITY, 4, true},
    {"loaders = 4\n[host]\ncontention = 20%\n", INFINITY, INFINITY, INFINITY, INFINITY, 1.6, true},
    {"loaders = 4\n[host]\ncontention = 20%\ncores = 2\n", 2, INFINITY, INFINITY, INFINITY, 2, true},
    {"loaders = 4\n[host]\ncontention = 100%\nsharpness = 3\n", INFINITY, INFINITY, INFINITY, INFINITY, 4, true},
    {"loaders = 4\nranks = 2\n[host]\ncontention = 10%\nsharpness = 2\n", INFINITY, INFINITY, INFINITY, INFINITY,
     1.2767145334803705, true},
    {"loaders = 0\n[host]\ncontention = 20%\n", INFINITY, INFINITY, INFINITY, INFINITY, 1, false},
    {"loaders = 1\n[host]\ncontention = 20%\n", INFINITY, INFINITY, INFINITY, INFINITY, 1, false},
};

static void sharing(void)
{
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct built *built = good(WORK, shares[i].text);
        const struct dlq_system *system = &built->system;
        CHECK_VALUE(dlq_system_cores(system), shares[i].cores);
        CHECK_VALUE(dlq_system_host_bandwidth(system), shares[i].host);
        CHECK_VALUE(dlq_system_storage_bandwidth(system), shares[i].storage);
        CHECK_VALUE(dlq_system_bandwidth(system), shares[i].bandwidth);
        CHECK_VALUE(dlq_system_cpu_factor(system), shares[i].cpu_factor);
        CHECK_VALUE(dlq_system_storage_factor(system), 1);
        CHECK(dlq_system_shares(system) == shares[i].shares, "%s: shares", shares[i].text);
    }
}

/* Loads that use no cpu share no cores. Storage: N streams of 1 GB/s on 1.5 GB/s. */
static void what_is_shared(void)
{
    const struct dlq_system *system =
        &good("[pipeline]\nloaders = 4\n[load]\nmean = 1s\n[step]\nmean = 1s\n[host]\ncores = 1\n",
              "bandwidth = 1B/s\n")
             ->system;
    CHECK(!dlq_system_shares(system) && dlq_system_cpu_factor(system) == 1, "nothing is used");
    system = &good("[pipeline]\nloaders = 4\n[load]\nuses = storage\nbytes = 20MB\nstream_rate = 1GB/s\n[step]\n",
                   "mean = 1s\n[host]\ncores = 1\nbandwidth = 1.5GB/s\n")
                  ->system;
    CHECK_VALUE(dlq_system_storage_factor(system), 4 / 1.5);
    CHECK_VALUE(dlq_system_cpu_factor(system), 1);
    CHECK(dlq_system_shares(system), "bandwidth is shared");
}

/* ranks on the host * ((K + 1) batch + N loader), ranks * K * batch (nothing where loaders are threads). */
static const struct {
    const char *text;
    double memory, shm;
} memories[] = {
    {"loaders = 4\n", NAN, NAN},
    {"loaders = 4\n[host]\nbatch_bytes = 10MB\n", 9e7, 8e7},
    {"loaders = 4\n[host]\nloader_memory = 1GB\n", 4e9, NAN},
    {"loaders = 4\nranks = 2\n[host]\nloader_memory = 1GB\nother_memory = 3GB\n", 8e9 + 3e9, NAN},
    {"loaders = 4\nranks = 3\n[host]\nbatch_bytes = 10MB\nloader_memory = 1GB\n", 3 * (9e7 + 4e9), 2.4e8},
    {"loaders = 4\nranks = 3\n[host]\nbatch_bytes = 10MB\nranks_per_host = 2\n", 1.8e8, 1.6e8},
    {"loaders = 4\nwindow = unbounded\n[host]\nbatch_bytes = 10MB\n", NAN, NAN},
    {"loader = tfdata\nloaders = 4\nprefetch = 3\n[host]\nbatch_bytes = 10MB\n", 8e7, 0},
    {"loader = dali\nloaders = 4\n[host]\nbatch_bytes = 10MB\nloader_memory = 1GB\n", 3e7 + 4e9, 0},
    {"loaders = 0\n[host]\nbatch_bytes = 10MB\nloader_memory = 1GB\n", 2e7, 0},
    /* from the load: 32 samples of 1 MB */
    {"loaders = 4\nbatch_size = 32\n[load.read]\nuses = storage\nbytes = 1MB\nmean = 1s\n", 9 * 3.2e7, 8 * 3.2e7},
};

static void memory(void)
{
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++) {
        bool load = strstr(memories[i].text, "[load") != NULL;
        struct built *built =
            good(load ? STEP "[pipeline]\n" : STEP "[load]\nmean = 1s\n[pipeline]\n", memories[i].text);
        CHECK_VALUE(dlq_system_memory(&built->system), memories[i].memory);
        CHECK_VALUE(dlq_system_shm(&built->system), memories[i].shm);
    }
}

/* Variants of a system: what can't be leaves it as it was. */
static void variants(void)
{
    static const struct {
        const char *text;
        bool loaders_0, loaders_5, prefetch, unordered;
    } rows[] = {
        {"loaders = 4\n", true, true, true, true},
        {"loaders = 0\n", true, true, false, false},
        {"loaders = 1\n", true, true, true, false},
        {"loader = pool\nloaders = 4\n", false, true, true, false},
        {"loader = mxnet\nloaders = 4\n", false, true, false, true},
        {"loader = dali\nloaders = 4\n", false, true, true, false},
        {"loader = serial\nloaders = 0\n", true, false, false, false},
        {"loader = pytorch-unordered\nloaders = 4\nwindow = 8\n", false, false, true, false},
        {"loaders = 8\nslow_loaders = 6\nslow_factor = 2\n", false, false, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[200] = "";
        struct built *built = good(WORK, rows[i].text);
        struct dlq_system system = built->system;
        CHECK(dlq_system_set_loaders(&system, 5, why, sizeof why) == rows[i].loaders_5, "%s: 5: %s", rows[i].text, why);
        CHECK_INT(system.pipeline.loaders, rows[i].loaders_5 ? 5 : built->system.pipeline.loaders);
        system = built->system;
        CHECK(dlq_system_set_loaders(&system, 0, why, sizeof why) == rows[i].loaders_0, "%s: 0: %s", rows[i].text, why);
        system = built->system;
        CHECK(!dlq_system_set_loaders(&system, DLQ_MOST_LOADERS + 1, why, sizeof why), "%s: too many loaders",
              rows[i].text);
        CHECK(!dlq_system_set_prefetch(&system, DLQ_MOST_PREFETCH + 1, why, sizeof why), "%s: too much prefetch",
              rows[i].text);
        CHECK(dlq_system_set_prefetch(&system, 9, why, sizeof why) == rows[i].prefetch, "%s: %s", rows[i].text, why);
        CHECK_INT(system.pipeline.prefetch, rows[i].prefetch ? 9 : built->system.pipeline.prefetch);
        system = built->system;
        CHECK(dlq_system_set_unordered(&system, why, sizeof why) == rows[i].unordered, "%s: unordered: %s",
              rows[i].text, why);
        CHECK(!rows[i].unordered || dlq_system_loader(&system)->order == DLQ_ORDER_COMPLETION, "still in order");
    }
}

/* Shares of a data set that is read in a new order each epoch: what a cache of c of it spares of the second epoch, c +
   (1 - c) ln(1 - c), and on four hosts, each with a quarter of the reads, of the second, third, fourth; and of so many
   hosts that each reads next to nothing: 1 - (1 - c)/(1 - phi y). */
static void caches(void)
{
    static const struct {
        struct dlq_hits hits;
        long epoch;
        double ratio;
    } rows[] = {
        {{.share = 0.2, .seen = 1, .epoch = 1000}, 2, 0.021485158948632},
        {{.share = 0.4, .seen = 1, .epoch = 1000}, 2, 0.093504625740406},
        {{.share = 0.5, .seen = 1, .epoch = 1000}, 2, 0.153426409720027},
        {{.share = 0.8, .seen = 1, .epoch = 1000}, 9, 0.478112417513180},
        {{.share = 0.5, .seen = 0.25, .epoch = 1000}, 2, 0.25},
        {{.share = 0.5, .seen = 0.25, .epoch = 1000}, 3, 0.410201926409248},
        {{.share = 0.5, .seen = 0.25, .epoch = 1000}, 4, 0.424635855096469},
        {{.share = 0.5, .seen = 1. / 65535, .epoch = 1000}, 2, 1. / 65535},
        {{.share = 0.5, .seen = 1. / 65535, .epoch = 1000}, LONG_MAX, 0.499996185205719},
        {{.share = 1, .seen = 0.25, .epoch = 1000}, 3, 0.4375},
        {{.share = 0, .seen = 1, .epoch = 1000}, 2, 0},
        {{.share = 0.5, .seen = 1, .epoch = 1000}, 1, 0},
        {{.share = 0.4, .seen = 1, .kept = true, .epoch = 1000}, 2, 0.4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ratio = dlq_hit_ratio_of_epoch(&rows[i].hits, rows[i].epoch);
        CHECK(fabs(ratio - rows[i].ratio) < 1e-9, "c = %g, epoch %ld: %.15g, expected %.15g", rows[i].hits.share,
              rows[i].epoch, ratio, rows[i].ratio);
    }
}

/* One rank that waits for no other meets the cache as it was: of all ranks' data, of which a host reads its share. */
static void one_rank(void)
{
    static const struct {
        const char *cache;
        double share, seen;
    } rows[] = {{"size = 1.6GB\n", 0.125, 0.5},
                {"size = 1.6GB\nscope = all\n", 0.125, 1},
                {"size = free\n", 0.125, 0.5},
                {"share = 30%\n", 0.3, 0.5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dlq_system system =
            good("[pipeline]\nloaders = 2\nranks = 8\nepoch_batches = 200\nbatch_size = 8\n[load]\nmean = 100ms\n"
                 "uses = storage\nbytes = 1MB\n[step]\nmean = 30ms\n[host]\nranks_per_host = 4\nmemory = 1.76GB\n"
                 "[cache]\n",
                 rows[i].cache)
                ->system;
        for (int one = 0; one < 2; one++) {
            const struct dlq_hits hits = dlq_system_hits(&system);
            CHECK_VALUE(hits.share, rows[i].share);
            CHECK_VALUE(hits.seen, rows[i].seen);
            CHECK(dlq_system_set_one_rank(&system) == (one == 0), "%d: other ranks", one);
        }
    }
}

/* The makespan of B samples of 10 ms on m threads: constant ceil(B/m); exponential exactly (B - m)/m + H_m. */
static void threads(void)
{
    static const struct {
        const char *text;
        double mean, within;
    } rows[] = {{"batch_size=10\nthreads=4\n[load]\n", 0.03, 1e-5},
                {"batch_size=256\nthreads=16\n[load]\ndistribution=exponential\n", 0.183807, 1e-5},
                {"batch_size=64\nthreads=8\n[load]\ndistribution=exponential\n", 0.097179, 1e-5},
                /* the same laws, drawn */
                {"batch_size=256\nthreads=16\n[load]\ndistribution=gamma\ncv=1\n", 0.183807, 3e-3},
                {"batch_size=64\nthreads=8\n[load]\ndistribution=weibull\nshape=1\n", 0.097179, 3e-3},
                /* of which only the last samples are drawn */
                {"batch_size=1000000\nthreads=64\n[load]\ndistribution=gamma\ncv=1\n", 156.28744, 2e-5}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "[pipeline]\nloaders=1\n%sper=sample\nmean=10ms\n[step]\nmean=0\n", rows[i].text);
        CHECK_REL(good(text, "")->system.load.mean, rows[i].mean, rows[i].within);
    }
}

TEST_SUITE(system, CASE(shape), CASE(fields), CASE(sharing), CASE(what_is_shared), CASE(memory), CASE(variants),
           CASE(caches), CASE(one_rank), CASE(threads));
