#include "parallel/world.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

// Sets exactly these of the variables, and restores the environment.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"}) {
      if (const char* value = std::getenv(name)) before_[name] = value;
      ::unsetenv(name);
    }
    for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Environment() {
    for (const char* name : {"RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"})
      ::unsetenv(name);
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

}  // namespace
}  // namespace leat::test
