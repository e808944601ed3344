#include "leat/parallel/world.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

constexpr std::array kVariables{"RANK",
                                "WORLD_SIZE",
                                "LOCAL_RANK",
                                "MASTER_ADDR",
                                "MASTER_PORT",
                                "OMPI_COMM_WORLD_SIZE",
                                "OMPI_COMM_WORLD_RANK",
                                "MV2_COMM_WORLD_SIZE",
                                "MV2_COMM_WORLD_RANK",
                                "PMI_SIZE",
                                "PMI_RANK",
                                "PMI_LOCAL_RANK",
                                "MPI_LOCALRANKID",
                                "SLURM_NTASKS",
                                "SLURM_PROCID",
                                "SLURM_LOCALID",
                                "SLURM_STEP_ID",
                                "SLURM_STEP_NUM_TASKS",
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

TEST_CASE("several tasks of a launcher without RANK and WORLD_SIZE are refused, naming what was seen") {
  const auto refused = [](const Variables& variables, const std::string& command) {
    const Environment environment(variables);
    const std::string text = expect_error<ArgumentError>([] { world_from_environment(); },
                                                         {command, "train alone", "export WORLD_SIZE=$"});
    for (const auto& [name, value] : variables) {
      if (name == "SLURM_STEP_ID") continue;
      INFO(text);
      CHECK(text.find(name + "=" + value) != std::string::npos);
    }
  };
  refused({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}, "mpirun");
  refused({{"MV2_COMM_WORLD_SIZE", "2"}, {"MV2_COMM_WORLD_RANK", "0"}}, "mpirun");
  refused({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}, "PMI");
  refused({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}, "LOCAL_RANK=<rank on its host>");
  refused({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}}, "srun");
  refused({{"SLURM_STEP_ID", "7"}, {"SLURM_NTASKS", "16"}, {"SLURM_PROCID", "0"}}, "srun");
}

TEST_CASE("among the variables of two launchers, those of the one that started the process are named") {
  const Variables step{{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"},
                       {"SLURM_PROCID", "1"},  {"SLURM_LOCALID", "1"},
                       {"PMI_SIZE", "8"},      {"PMI_RANK", "1"}};
  const auto refused = [](const Variables& variables, const std::string& line) {
    const Environment environment(variables);
    expect_error<ArgumentError>([] { world_from_environment(); }, {line});
  };
  refused(step, "WORLD_SIZE=$SLURM_STEP_NUM_TASKS RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID");
  Variables hydra = step;  // its proxies are the step's tasks
  hydra["MPI_LOCALRANKID"] = "0";
  refused(hydra, "WORLD_SIZE=$PMI_SIZE RANK=$PMI_RANK LOCAL_RANK=$MPI_LOCALRANKID");
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
      {"no number", {{"PMI_SIZE", "many"}}}};
  for (const auto& [name, variables] : cases) {
    INFO(name);
    const Environment environment(variables);
    CHECK_FALSE(world_from_environment().has_value());
  }
}

TEST_CASE("RANK and WORLD_SIZE count more than a launcher's variables") {
  Variables variables = kGood;
  variables.insert({{"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "5"}});
  const Environment environment(variables);
  const auto world = world_from_environment();
  REQUIRE(world.has_value());
  CHECK(world->rank == 2);
  CHECK(world->world_size == 4);
}

TEST_CASE("a port that torchrun's agent listens at is refused where there is more than one rank") {
  Variables variables = kGood;
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  {
    const Environment environment(variables);
    expect_error<ArgumentError>([] { world_from_environment(); },
                                {"TORCHELASTIC_USE_AGENT_STORE=True", "MASTER_PORT=29500", "torchrun"});
  }
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "False";
  {
    const Environment environment(variables);
    CHECK(world_from_environment().has_value());
  }
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  variables["WORLD_SIZE"] = "1";
  variables["RANK"] = "0";
  const Environment environment(variables);
  CHECK(world_from_environment().has_value());
}

}  // namespace
}  // namespace leat::test
