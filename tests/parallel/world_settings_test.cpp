#include "leat/parallel/world_settings.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "leat/parallel/store/launchers.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

constexpr std::array kVariables{"RANK",
                                "WORLD_SIZE",
                                "LOCAL_RANK",
                                "LOCAL_WORLD_SIZE",
                                "MASTER_ADDR",
                                "MASTER_PORT",
                                "LEAT_LAUNCHER",
                                "LEAT_MASTER_ADDR",
                                "LEAT_MASTER_PORT",
                                "LEAT_JOB_SECRET",
                                "LEAT_RUN_ID",
                                "LEAT_RESTART_COUNT",
                                "OMPI_COMM_WORLD_SIZE",
                                "OMPI_COMM_WORLD_RANK",
                                "OMPI_COMM_WORLD_LOCAL_SIZE",
                                "OMPI_COMM_WORLD_LOCAL_RANK",
                                "OMPI_MCA_ess_base_jobid",
                                "PMIX_NAMESPACE",
                                "MV2_COMM_WORLD_SIZE",
                                "MV2_COMM_WORLD_RANK",
                                "MV2_COMM_WORLD_LOCAL_SIZE",
                                "MV2_COMM_WORLD_LOCAL_RANK",
                                "MPIRUN_ID",
                                "PMI_SIZE",
                                "PMI_RANK",
                                "PMI_LOCAL_RANK",
                                "PMI_LOCAL_SIZE",
                                "MPI_LOCALRANKID",
                                "MPI_LOCALNRANKS",
                                "SLURM_JOB_ID",
                                "SLURM_NTASKS",
                                "SLURM_PROCID",
                                "SLURM_LOCALID",
                                "SLURM_STEP_ID",
                                "SLURM_STEP_NUM_TASKS",
                                "SLURM_STEP_NUM_NODES",
                                "SLURM_STEP_NODELIST",
                                "SLURM_NODELIST",
                                "SLURM_RESTART_COUNT",
                                "CUDA_VISIBLE_DEVICES",
                                "TORCHELASTIC_RUN_ID",
                                "TORCHELASTIC_RESTART_COUNT",
                                "TORCHELASTIC_USE_AGENT_STORE"};

// Sets exactly these of the variables, and restores the environment.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (const char* name : kVariables) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const char* name : kVariables) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::string> before_;
};

const std::map<std::string, std::string> kGood{{"RANK", "2"},
                                               {"WORLD_SIZE", "4"},
                                               {"LOCAL_RANK", "0"},
                                               {"MASTER_ADDR", "node7"},
                                               {"MASTER_PORT", "29500"}};

TEST_CASE("without RANK and WORLD_SIZE there is no world") {
  const Environment environment(std::map<std::string, std::string>{{"MASTER_ADDR", "node7"}});
  CHECK_FALSE(world_from_environment().has_value());
}

TEST_CASE("torchrun's variables are read") {
  const Environment environment(kGood);
  const auto world = world_from_environment();
  REQUIRE(world.has_value());
  CHECK(world->rank == 2);
  CHECK(world->world_size == 4);
  CHECK(world->local_rank == 0);
  CHECK(world->master_address == "node7");
  CHECK(world->master_port == 29500);
}

TEST_CASE("without LOCAL_RANK it is RANK") {
  auto variables = kGood;
  variables.erase("LOCAL_RANK");
  const Environment environment(variables);
  CHECK(world_from_environment()->local_rank == 2);
}

TEST_CASE("a partial set is refused, naming what is missing") {
  for (const std::string name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) {
    auto variables = kGood;
    variables.erase(name);
    const Environment environment(variables);
    expect_error<ArgumentError>([] { world_from_environment(); }, {name + " is not set"});
  }
}

TEST_CASE("a malformed value is refused, naming variable, value and range") {
  const auto refused = [](const std::string& name, const std::string& value, const std::string& range) {
    auto variables = kGood;
    variables[name] = value;
    const Environment environment(variables);
    expect_error<ArgumentError>([] { world_from_environment(); }, {name + "=\"" + value + "\"", range});
  };
  for (const std::string bad : {"", " 1", "1 ", "one", "+1", "1.0", "0x1", "-1", "99999999999999999999"}) {
    refused("RANK", bad, "0 to 3");
    refused("WORLD_SIZE", bad, "1 to 65536");
    refused("LOCAL_RANK", bad, "0 to 3");
    refused("MASTER_PORT", bad, "1 to 65535");
  }
  refused("RANK", "4", "0 to 3");
  refused("LOCAL_RANK", "4", "0 to 3");
  refused("WORLD_SIZE", "0", "1 to 65536");
  refused("MASTER_PORT", "0", "1 to 65535");
  refused("MASTER_PORT", "65536", "1 to 65535");
}

TEST_CASE("an address that is none is refused") {
  for (const std::string& bad : {std::string(), std::string(254, 'a')}) {
    auto variables = kGood;
    variables["MASTER_ADDR"] = bad;
    const Environment environment(variables);
    expect_error<ArgumentError>([] { world_from_environment(); }, {"MASTER_ADDR", "1 to 253"});
  }
}

using Variables = std::map<std::string, std::string>;

Variables without(Variables variables, const std::string& name) {
  variables.erase(name);
  return variables;
}

Variables with(Variables variables, const Variables& more) {
  for (const auto& [name, value] : more) variables[name] = value;
  return variables;
}

WorldSettings world_of(const Variables& variables, const WorldOverrides& overrides = {}) {
  const Environment environment(variables);
  const auto world = world_from_environment(overrides);
  REQUIRE(world.has_value());
  return *world;
}

std::string refused(const Variables& variables, std::initializer_list<std::string_view> fragments,
                    const WorldOverrides& overrides = {}) {
  const Environment environment(variables);
  return expect_error<ArgumentError>([&] { world_from_environment(overrides); }, fragments);
}

const Variables kOpenMpi{{"OMPI_COMM_WORLD_SIZE", "4"},       {"OMPI_COMM_WORLD_RANK", "3"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
                         {"OMPI_MCA_ess_base_jobid", "17"},   {"PMIX_NAMESPACE", "17"}};
const Variables kSrun{{"SLURM_JOB_ID", "1234"},
                      {"SLURM_STEP_ID", "2"},
                      {"SLURM_STEP_NUM_TASKS", "4"},
                      {"SLURM_PROCID", "3"},
                      {"SLURM_LOCALID", "1"},
                      {"SLURM_STEP_NUM_NODES", "2"},
                      {"SLURM_STEP_NODELIST", "node[03-05,7],x1"}};
const Variables kPmi{{"PMI_SIZE", "4"}, {"PMI_RANK", "3"}, {"PMI_LOCAL_RANK", "1"}};
const Variables kHydra{
    {"PMI_SIZE", "4"}, {"PMI_RANK", "3"}, {"MPI_LOCALRANKID", "3"}, {"MPI_LOCALNRANKS", "4"}};
const Variables kMvapich2{{"MV2_COMM_WORLD_SIZE", "4"},
                          {"MV2_COMM_WORLD_RANK", "3"},
                          {"MV2_COMM_WORLD_LOCAL_SIZE", "2"},
                          {"MV2_COMM_WORLD_LOCAL_RANK", "1"}};
const Variables kTorchrun{{"RANK", "1"},
                          {"WORLD_SIZE", "2"},
                          {"LOCAL_RANK", "1"},
                          {"LOCAL_WORLD_SIZE", "2"},
                          {"MASTER_ADDR", "node7"},
                          {"MASTER_PORT", "29500"},
                          {"TORCHELASTIC_RUN_ID", "none"},
                          {"TORCHELASTIC_RESTART_COUNT", "2"},
                          {"TORCHELASTIC_USE_AGENT_STORE", "True"}};

TEST_CASE("the ranks of mpirun on one host meet at a port that all compute from the job's id") {
  const WorldSettings world = world_of(kOpenMpi);
  CHECK(world.launcher == "openmpi");
  CHECK(world.rank == 3);
  CHECK(world.world_size == 4);
  CHECK(world.local_rank == 3);
  CHECK(world.local_world_size == 4);
  CHECK(world.master_address == "127.0.0.1");
  CHECK(world.master_ports == 16);
  CHECK(world.master_port >= 16'384);
  CHECK(world.master_port + world.master_ports <= 32'768);
  const WorldSettings peer =
      world_of(with(kOpenMpi, {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}}));
  CHECK(peer.master_port == world.master_port);
  CHECK(peer.run_id == world.run_id);
  CHECK(world_of(without(kOpenMpi, "PMIX_NAMESPACE")).run_id == world.run_id);
  const WorldSettings other = world_of(with(kOpenMpi, {{"PMIX_NAMESPACE", "18"}}));
  CHECK(other.run_id != world.run_id);
}

TEST_CASE("mpirun on several hosts, or without a job id, needs to be told where rank 0 is") {
  const Variables two_hosts =
      with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}});
  refused(two_hosts, {"openmpi", "LEAT_MASTER_ADDR", "4 ranks"});
  refused(without(without(kOpenMpi, "PMIX_NAMESPACE"), "OMPI_MCA_ess_base_jobid"),
          {"openmpi", "LEAT_MASTER_PORT"});
  for (const std::string prefix : {"LEAT_", ""}) {
    const WorldSettings world = world_of(with(two_hosts, {{prefix + "MASTER_ADDR", "node7"}}));
    CHECK(world.master_address == "node7");
    CHECK(world.master_ports == 16);
    const WorldSettings both =
        world_of(with(two_hosts, {{prefix + "MASTER_ADDR", "node7"}, {prefix + "MASTER_PORT", "29400"}}));
    CHECK(both.master_port == 29400);
    CHECK(both.master_ports == 1);
  }
  WorldOverrides overrides;
  overrides.master_address = "node8";
  overrides.master_port = 29401;
  const WorldSettings world =
      world_of(with(two_hosts, {{"LEAT_MASTER_ADDR", "node7"}, {"LEAT_MASTER_PORT", "1"}}), overrides);
  CHECK(world.master_address == "node8");
  CHECK(world.master_port == 29401);
  refused(with(kOpenMpi, {{"LEAT_MASTER_PORT", "x"}}), {"LEAT_MASTER_PORT=\"x\"", "1 to 65535"});
}

TEST_CASE("the tasks of srun meet at the first host of the step") {
  const WorldSettings world = world_of(kSrun);
  CHECK(world.launcher == "srun");
  CHECK(world.rank == 3);
  CHECK(world.world_size == 4);
  CHECK(world.local_rank == 1);
  CHECK(world.master_address == "node03");
  CHECK(world.run_id == "slurm 1234.2");
  CHECK(world.master_ports == 16);
  const WorldSettings one_host = world_of(with(
      kSrun, {{"SLURM_STEP_NUM_NODES", "1"}, {"SLURM_STEP_NODELIST", "x1"}, {"SLURM_RESTART_COUNT", "5"}}));
  CHECK(one_host.master_address == "127.0.0.1");
  CHECK(one_host.local_world_size == 4);
  CHECK(one_host.restart == 5);
  CHECK(world_of(with(kSrun, {{"SLURM_STEP_ID", "3"}})).run_id == "slurm 1234.3");
  const Variables old = with(without(kSrun, "SLURM_STEP_NUM_TASKS"), {{"SLURM_NTASKS", "16"}});
  CHECK(world_of(old).world_size == 16);
  refused(without(kSrun, "SLURM_STEP_NODELIST"), {"srun", "LEAT_MASTER_ADDR"});
  refused(without(kSrun, "SLURM_JOB_ID"), {"srun", "LEAT_MASTER_PORT"});
  refused(with(kSrun, {{"SLURM_STEP_NODELIST", "node[03"}}), {"\"node[03\"", "list of Slurm's hosts"});
}

TEST_CASE("the ranks of MPICH, MVAPICH2 and other launchers of PMI are read") {
  const Variables where{{"LEAT_MASTER_ADDR", "node7"}, {"LEAT_MASTER_PORT", "29400"}};
  const std::map<std::string, Variables> cases{{"hydra", kHydra}, {"pmi", kPmi}, {"mvapich2", kMvapich2}};
  for (const auto& [name, variables] : cases) {
    INFO(name);
    const WorldSettings world = world_of(with(variables, where));
    CHECK(world.launcher == name);
    CHECK(world.rank == 3);
    CHECK(world.world_size == 4);
    CHECK(world.local_rank == (name == "hydra" ? 3 : 1));
    CHECK(world.master_address == "node7");
    CHECK(world.master_port == 29400);
  }
  CHECK(world_of(with(kHydra, {{"LEAT_MASTER_PORT", "29400"}})).master_address == "127.0.0.1");
  refused(kHydra, {"hydra", "LEAT_MASTER_PORT"});
  refused(kPmi, {"pmi", "LEAT_MASTER_ADDR"});
  CHECK(world_of(with(kMvapich2, {{"MPIRUN_ID", "77"}, {"LEAT_MASTER_ADDR", "node7"}})).run_id ==
        "mvapich2 77");
}

TEST_CASE("a launcher's single task has no world, nor has a script or shell of Slurm") {
  const std::map<std::string, Variables> cases{
      {"one task of mpirun", {{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}},
      {"one task of MPICH", {{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}}},
      {"one task of srun in a job of four",
       {{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}},
      {"a batch script", {{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}},
      {"a batch script that knows its step", {{"SLURM_STEP_ID", "4294967291"}, {"SLURM_NTASKS", "4"}}},
      {"the shell of salloc",
       {{"SLURM_STEP_ID", "4294967290"}, {"SLURM_NTASKS", "4"}, {"SLURM_STEP_NUM_TASKS", "1"}}},
      {"a launcher that is to be ignored", with(kOpenMpi, {{"LEAT_LAUNCHER", "none"}})}};
  for (const auto& [name, variables] : cases) {
    INFO(name);
    const Environment environment(variables);
    CHECK_FALSE(world_from_environment().has_value());
  }
  const Environment environment(kGood);
  WorldOverrides alone;
  alone.launcher = "none";
  CHECK_FALSE(world_from_environment(alone).has_value());
}

TEST_CASE("half a launcher's variables are refused, naming what is missing and what is there") {
  refused(without(kOpenMpi, "OMPI_COMM_WORLD_RANK"),
          {"OMPI_COMM_WORLD_RANK is not set", "OMPI_COMM_WORLD_SIZE=4"});
  refused(without(kOpenMpi, "OMPI_COMM_WORLD_SIZE"),
          {"OMPI_COMM_WORLD_SIZE is not set", "OMPI_COMM_WORLD_RANK=3"});
  refused(without(kMvapich2, "MV2_COMM_WORLD_RANK"),
          {"MV2_COMM_WORLD_RANK is not set", "MV2_COMM_WORLD_SIZE=4"});
  refused(without(kPmi, "PMI_SIZE"), {"PMI_SIZE is not set", "PMI_RANK=3"});
  refused(without(kHydra, "PMI_RANK"), {"PMI_RANK is not set", "PMI_SIZE=4"});
  refused(without(kSrun, "SLURM_PROCID"), {"SLURM_PROCID is not set", "SLURM_STEP_NUM_TASKS=4"});
}

TEST_CASE("malformed values of every launcher are refused, naming the variable, its value and its range") {
  for (const std::string bad : {"", "many", "-1", "4.0", "99999999999999999999"}) {
    refused(with(kOpenMpi, {{"OMPI_COMM_WORLD_SIZE", bad}}),
            {"OMPI_COMM_WORLD_SIZE=\"" + bad + "\"", "1 to 65536"});
    refused(with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_RANK", bad}}),
            {"OMPI_COMM_WORLD_LOCAL_RANK=\"" + bad + "\"", "0 to 3"});
    refused(with(kPmi, {{"PMI_RANK", bad}}), {"PMI_RANK=\"" + bad + "\"", "0 to 3"});
    refused(with(kSrun, {{"SLURM_LOCALID", bad}}), {"SLURM_LOCALID=\"" + bad + "\"", "0 to 3"});
    refused(with(kTorchrun, {{"TORCHELASTIC_RESTART_COUNT", bad}}),
            {"TORCHELASTIC_RESTART_COUNT=\"" + bad + "\""});
  }
  refused(with(kPmi, {{"PMI_RANK", "4"}}), {"PMI_RANK=\"4\"", "0 to 3"});
}

TEST_CASE("two launchers that contradict each other are refused, naming both and the way out") {
  refused(with(kGood, kOpenMpi),
          {"RANK=2", "WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4", "LEAT_LAUNCHER=env",
           "LEAT_LAUNCHER=openmpi", "LEAT_LAUNCHER=none"});
  refused(with(with(kGood, {{"RANK", "0"}, {"LOCAL_RANK", "0"}, {"WORLD_SIZE", "1"}}), kOpenMpi),
          {"WORLD_SIZE=1", "OMPI_COMM_WORLD_SIZE=4"});
  refused(with(kSrun, with(kPmi, {{"PMI_RANK", "2"}})), {"SLURM_PROCID=3", "PMI_RANK=2"});
  refused(with(kGood, kSrun), {"RANK=2", "SLURM_PROCID=3"});
  CHECK(world_of(with(kGood, with(kOpenMpi, {{"LEAT_LAUNCHER", "env"}}))).rank == 2);
  CHECK(world_of(with(kGood, with(kOpenMpi, {{"LEAT_LAUNCHER", "openmpi"}}))).rank == 3);
  WorldOverrides overrides;
  overrides.launcher = "env";
  CHECK(world_of(with(kGood, with(kOpenMpi, {{"LEAT_LAUNCHER", "openmpi"}})), overrides).rank == 2);
}

TEST_CASE("two launchers that agree, or of which one started the other, are read") {
  CHECK(world_of(with(with(kGood, {{"RANK", "3"}}), kOpenMpi)).launcher == "env");
  // Under Slurm, the proxies of mpirun are tasks of a step of srun, one for each host.
  const Variables proxy = with(kSrun, {{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}});
  CHECK(world_of(with(proxy, kOpenMpi)).launcher == "openmpi");
  CHECK(world_of(with(proxy, with(kHydra, {{"LEAT_MASTER_PORT", "1"}}))).launcher == "hydra");
  CHECK(world_of(with(kSrun, kPmi)).launcher == "srun");  // srun --mpi=pmi2 sets both
  // A shell that is the single task of a launcher may start ranks itself.
  CHECK(world_of(with(kGood, {{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}})).rank == 2);
  // torchrun may be started once per host by srun.
  CHECK(world_of(with(kTorchrun, proxy)).launcher == "torchrun");
}

TEST_CASE("a launcher that is named must have set its variables, and must exist") {
  refused(with(kGood, {{"LEAT_LAUNCHER", "srun"}}), {"LEAT_LAUNCHER says srun", "no SLURM_PROCID"});
  refused({{"LEAT_LAUNCHER", "openmpi"}}, {"no OMPI_COMM_WORLD_RANK, no OMPI_COMM_WORLD_SIZE"});
  refused({{"LEAT_LAUNCHER", "qsub"}}, {"\"qsub\"", "torchrun", "openmpi", "none"});
}

TEST_CASE("under torchrun, whose agent listens at MASTER_PORT, rank 0 listens at a port beside it") {
  const WorldSettings world = world_of(kTorchrun);
  CHECK(world.launcher == "torchrun");
  CHECK(world.master_address == "127.0.0.1");  // all ranks are on this host
  CHECK(world.master_port == 29501);
  CHECK(world.master_ports == 16);
  CHECK(world.run_id == "none@29500");
  CHECK(world.restart == 2);
  CHECK(world_of(with(kTorchrun, {{"GROUP_WORLD_SIZE", "2"}})).restart == 0);  // agents count differently
  CHECK(world_of(with(kTorchrun, {{"LOCAL_WORLD_SIZE", "1"}, {"LOCAL_RANK", "0"}})).master_address ==
        "node7");
  const WorldSettings high = world_of(with(kTorchrun, {{"MASTER_PORT", "65530"}}));
  CHECK(high.master_port + high.master_ports == 65530);
  const WorldSettings static_store = world_of(with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "False"}}));
  CHECK(static_store.master_port == 29500);
  CHECK(static_store.master_ports == 1);
  const WorldSettings stated =
      world_of(with(kTorchrun, {{"LEAT_MASTER_PORT", "29777"}, {"LEAT_MASTER_ADDR", "node8"}}));
  CHECK(stated.master_port == 29777);
  CHECK(stated.master_ports == 1);
  CHECK(stated.master_address == "node8");
}

TEST_CASE("leat-run's run, restart count and secret are read") {
  const WorldSettings world = world_of(with(kGood, {{"LEAT_LAUNCHER", "leat-run"},
                                                    {"LEAT_RUN_ID", "r1"},
                                                    {"LEAT_RESTART_COUNT", "3"},
                                                    {"LEAT_JOB_SECRET", "0123456789abcdef"}}));
  CHECK(world.launcher == "leat-run");
  CHECK(world.run_id == "r1");
  CHECK(world.restart == 3);
  CHECK(world.secret == "0123456789abcdef");
  refused(with(kGood, {{"LEAT_JOB_SECRET", "short"}}), {"LEAT_JOB_SECRET", "16 to 1024", "not 5"});
  refused(with(kGood, {{"LEAT_RUN_ID", std::string(257, 'r')}}), {"run id", "0 to 256", "257"});
}

TEST_CASE("explicit settings precede every variable") {
  WorldOverrides overrides;
  overrides.rank = 1;
  overrides.world_size = 3;
  refused(kOpenMpi, {"host of rank 0", "LEAT_MASTER_ADDR"}, overrides);
  overrides.master_address = "10.0.0.1";
  overrides.master_port = 29600;
  const WorldSettings world = world_of(with(kOpenMpi, {{"LEAT_LAUNCHER", "openmpi"}}), overrides);
  CHECK(world.rank == 1);
  CHECK(world.world_size == 3);
  CHECK(world.local_rank == 1);
  CHECK(world.master_address == "10.0.0.1");
  CHECK(world.master_port == 29600);
  overrides.world_size.reset();
  refused({}, {"without a world size"}, overrides);
  overrides.rank.reset();
  overrides.world_size = 3;
  refused({}, {"without a rank"}, overrides);
  overrides.world_size.reset();
  overrides.local_rank = 0;
  refused({}, {"local rank"}, overrides);
}

TEST_CASE("the first host of Slurm's lists") {
  const std::map<std::string, std::string> cases{{"node7", "node7"},
                                                 {"node[03-05,7],x1", "node03"},
                                                 {"x1,node[03-05,7]", "x1"},
                                                 {"node[7]", "node7"},
                                                 {"node[007,9]", "node007"},
                                                 {"rack[1-2]node[3-4].lan", "rack1node3.lan"},
                                                 {"node-[1-2]-ib", "node-1-ib"}};
  for (const auto& [list, host] : cases) CHECK(leat::detail::first_host(list) == host);
  for (const std::string bad : {"", ",x1", "node[", "node[]", "node]", "node[a-b]", "[,", "node[-3]"}) {
    INFO(bad);
    expect_error<ArgumentError>([&] { leat::detail::first_host(bad); }, {"\"" + bad + "\""});
  }
}

TEST_CASE("a rank's GPU is the one that its launcher shows it, or that of its local rank") {
  const Environment environment(Variables{{"CUDA_VISIBLE_DEVICES", "4,5"}});
  WorldSettings world;
  world.world_size = 8;
  world.rank = 7;
  world.local_rank = 3;
  CHECK(gpu_of_rank(world, 1) == 0);
  CHECK(gpu_of_rank(world, 4) == 3);
  CHECK(gpu_of_rank(world, 8) == 3);
  for (const int visible : {0, 2, 3}) {
    expect_error<ArgumentError>(
        [&] { gpu_of_rank(world, visible); },
        {"rank 7", "local rank 3", std::to_string(visible) + " GPUs", "CUDA_VISIBLE_DEVICES=4,5"});
  }
}

TEST_CASE("a line describes a rank, and says if the job has no secret") {
  WorldSettings world;
  world.world_size = 4;
  world.launcher = "srun";
  const std::string open = describe(world, "cuda:0");
  CHECK(open.starts_with("rank 0 of 4 on host "));
  CHECK(open.find(", device cuda:0, started by srun; LEAT_JOB_SECRET is not set") != std::string::npos);
  world.secret = "0123456789abcdef";
  const std::string closed = describe(world, "cpu");
  CHECK(closed.find("secret") == std::string::npos);
  CHECK(closed.find(world.secret) == std::string::npos);
}

}  // namespace
}  // namespace leat::test
