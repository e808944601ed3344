#include "leat/datasets/base/cgroup.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/temporary_folder.h"

using namespace leat;
using namespace leat::detail;

using Groups = std::vector<Cgroup>;

TEST_CASE("groups of version 2 are found with those above them") {
  CHECK(parse_cgroups("0::/user.slice/job\n", "memory") == Groups{{"/sys/fs/cgroup/user.slice/job", 2},
                                                                  {"/sys/fs/cgroup/user.slice", 2},
                                                                  {"/sys/fs/cgroup", 2}});
  CHECK(parse_cgroups("0::/\n", "cpu") == Groups{{"/sys/fs/cgroup", 2}});
}

TEST_CASE("groups of version 1 are those of the controller's hierarchy") {
  const std::string text =
      "4:memory:/docker/1a\n"
      "3:cpu,cpuacct:/half\n"
      "1:name=systemd:/init.scope\n";
  CHECK(parse_cgroups(text, "memory") == Groups{{"/sys/fs/cgroup/memory/docker/1a", 1},
                                                {"/sys/fs/cgroup/memory/docker", 1},
                                                {"/sys/fs/cgroup/memory", 1}});
  CHECK(parse_cgroups(text, "cpu") == Groups{{"/sys/fs/cgroup/cpu/half", 1}, {"/sys/fs/cgroup/cpu", 1}});
  CHECK(parse_cgroups(text, "acct").empty());
  CHECK(parse_cgroups("4:memory:/a\n0::/\n", "memory").size() == 3);  // a hybrid
}

TEST_CASE("a group's files are read, and what is not there is nothing") {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "memory.events";
  std::ofstream(file) << "low 1\noom 2\noom_kill 3\n";
  CHECK(read_value(file, "oom_kill") == 3);
  CHECK_FALSE(read_value(file, "kill").has_value());
  CHECK_FALSE(read_value(folder.path() / "absent", "oom").has_value());
  std::ofstream(file) << "max\n";
  CHECK_FALSE(read_number(file).has_value());
  std::ofstream(file) << "18446744073709551615\n";
  CHECK(read_number(file) == 18446744073709551615u);
}
