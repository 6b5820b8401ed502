/* dlqueue instances, and how [host] instance fills what is not given. */
#include "command.h"
#include "model/model.h"

static const struct command_case all_cases[] = {
    {"instances",
     {"^instance ", "\nvCPU are hyper-threads, of which two share a core; measure, or halve",
      "\n  aws/karpenter-provider-aws 1d92708", "us-east-1 on demand", "retrieved 2026-11-09\n",
      "\nnext: dlqueue plan my.ini --set host.instance=p4d.24xlarge\n"}},
    {"dlqueue instances | grep p4d.24", {"p4d.24xlarge      AWS       A100-40     8    96       12"}},
    {"dlqueue instances | LC_ALL=C.UTF-8 awk 'length > 120' | wc -l", {"^0\n"}},
    /* columns */
    {"instances p4d.24xlarge", {"?2", "~one argument too many"}},
    {"instances --plot", {"?2", "~--plot is an option of"}},
    {"instances --csv",
     {"^name,provider,gpu,gpus,vcpus,vcpus_per_gpu,memory_bytes,network_bytes_per_second,local_storage_bytes,"
      "price_per_hour,source\n",
      "\nND96amsr_A100_v4,Azure,A100-80,8,96,12,,,,,\""}},
};
COMMAND_TEST(test_cases, all_cases)

static void test_json(void)
{
    COMMAND(command);
    json_t *object = command_ask(command, "instances --json"), *rows = json_object_get(object, "instances"), *row;
    size_t i, found = 0;
    CHECK(json_array_size(rows) > 40, "%zu instances", json_array_size(rows));
    json_array_foreach(rows, i, row)
    {
        CHECK_REL(command_number(row, "vcpus_per_gpu"), command_number(row, "vcpus") / command_number(row, "gpus"),
                  1e-12);
        CHECK(json_is_string(json_object_get(row, "source")), "row %zu has a source", i);
        found = strcmp(command_text(row, "name"), "g4dn.12xlarge") == 0 ? i : found;
    }
    const json_t *instance = json_array_get(rows, found);
    CHECK_TEXT(command_text(instance, "provider"), "AWS");
    CHECK_TEXT(command_text(instance, "gpu"), "T4");
    CHECK_REL(command_number(instance, "memory_bytes"), 192 * 1073741824.0, 0);
    CHECK_REL(command_number(instance, "network_bytes_per_second"), 6.25e9, 0);
    CHECK_REL(command_number(instance, "local_storage_bytes"), 9e11, 0);
    CHECK(json_is_null(json_object_get(instance, "price_per_hour")), "an unknown price is null");
}

/* Where `check` says that a host's values come from. */
static void test_origins(void)
{
    static const struct command_case rows[] = {
        {"",
         {"cores = 96                                   ; default of p4d.24xlarge (hyper-threads)\n",
          "memory = 1152GiB                             ; default of p4d.24xlarge\n",
          "bandwidth = 400Gb/s                          ; default of p4d.24xlarge\n",
          "ranks_per_host = 8                           ; default of p4d.24xlarge\n",
          "price = 20                                   ; a.ini:8\n"}},
        {"--set host.bandwidth=40000Mbit/s", {"bandwidth = 40Gb/s                           ; --set #1\n"}},
        {"--set storage.bandwidth=0.5GB/s", {"bandwidth = 500MB/s                          ; --set #1\n"}},
        {"--set storage.bandwidth=512MiB/s", {"bandwidth = 512MiB/s                         ; --set #1\n"}},
        {"--set host.cores=48", {"cores = 48                                   ; --set #1\n"}},
        {"--set host.instance=p5.48xlarge",
         {"cores = 192                                  ; default of p5.48xlarge (hyper-threads)\n",
          "price = 20                                   ; a.ini:8\n"}},
        {"--set host.instance=ND96amsr_A100_v4", {"; memory =                                   ; default: none\n"}},
        {"--set host.instance=none", {"; cores =                                    ; default: none\n"}},
    };
    COMMAND(command);
    command_write(command, "a.ini",
                  "[pipeline]\nloaders = 3\n[load]\nmean = 1s\n[step]\nmean = 1s\n[host]\nprice = 20\n"
                  "instance = p4d.24xlarge\n");
    COMMAND_CASES(command, "check a.ini ", rows);
    CHECK_INT(command_run(command, "", "check a.ini --set host.instance=p4d.24xlarg"), 2);
    CHECK(strstr(command->err, "p4d.24xlarge") != NULL, "the nearest instance is named: %s", command->err);
    CHECK_INT(command_run(command, "", "check a.ini --set host.instance=mine"), 2);
    size_t count;
    const struct dlq_instance *instances = dlq_instances(&count);
    for (size_t i = 0; i < count; i++)
        CHECK(strstr(command->err, instances[i].name) != NULL, "%s is not named: %s", instances[i].name, command->err);
}

TEST_SUITE(tables, CASE(test_cases), CASE(test_json), CASE(test_origins));
