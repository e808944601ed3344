#include "leat/loader/sweep/machine_usage.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace leat {

using namespace leat::detail;

namespace {

// user nice system idle iowait irq softirq steal guest guest_nice
const std::string kStat =
    "cpu  999 999 999 999 999 999 999 999 0 0\n"
    "cpu0 100 20 30 9000 800 4 5 6 70 1\n"
    "cpu1 200 0 0 9000 800 0 0 0 0 0\n"
    "cpu10 1 1 1 1 1 1 1 1 0 0\n"
    "intr 1 2 3\n";

bool near(std::optional<double> value, double wanted) {
  return value && std::abs(*value - wanted) < 1e-9;
}

}  // namespace

TEST_CASE(
    "busy are programs, kernel, interrupts and other guests, and neither idle CPUs nor those that wait for a "
    "disk") {
  CHECK(near(parse_busy_seconds(kStat, std::vector{0}, 100), 1.65));
  CHECK(near(parse_busy_seconds(kStat, std::vector{1}, 100), 2.00));
  CHECK(near(parse_busy_seconds(kStat, std::vector{0, 1}, 100), 3.65));
  CHECK(near(parse_busy_seconds(kStat, std::vector{10}, 1000), 0.006));  // and not that of cpu1
}

TEST_CASE("statistics that lack a CPU or a column tell nothing") {
  CHECK_FALSE(parse_busy_seconds(kStat, std::vector{0, 2}, 100));
  CHECK_FALSE(parse_busy_seconds("cpu0 1 2 3\n", std::vector{0}, 100));
  CHECK_FALSE(parse_busy_seconds("cpu10 1 1 1 1 1 1 1 1 0 0\n", std::vector{1}, 100));
  CHECK_FALSE(parse_busy_seconds("", std::vector{0}, 100));
}

TEST_CASE("the pressure is the total of the line some") {
  const std::string text =
      "some avg10=55.00 avg60=53.12 avg300=39.55 total=2500000\nfull avg10=0.00 avg60=0.00 avg300=0.00 "
      "total=7\n";
  CHECK(near(parse_pressure_seconds(text), 2.5));
  CHECK_FALSE(parse_pressure_seconds(""));
  CHECK_FALSE(parse_pressure_seconds("some avg10=55.00\n"));
  CHECK_FALSE(parse_pressure_seconds("some avg10=55.00 total=x\n"));
}

TEST_CASE("others used what is busy and not the sweep's own") {
  CHECK(near(others_share(2.0, 1.0, 1.0, 2, 2), 0.5));
  CHECK(near(others_share(4.0, 1.0, 2.0, 2, 2), 0.75));
  CHECK(near(others_share(0.98, 1.0, 1.0, 2, 2), 0));  // the kernel counts in ticks
}

TEST_CASE("CPUs that a control group withholds may be used by others") {
  CHECK(near(others_share(7.0, 1.0, 1.0, 8, 2), 0));    // 6 of 8 CPUs, and 2 are left
  CHECK(near(others_share(8.0, 1.0, 1.0, 8, 2), 0.5));  // 7 of 8 CPUs
}

TEST_CASE("statistics that do not move tell nothing about others") {
  CHECK_FALSE(others_share(0, 1.0, 1.0, 2, 2));
  CHECK_FALSE(others_share(1, 1, 0, 2, 2));
  CHECK(near(others_share(0, 0.01, 0.02, 2, 2), 0));  // too short for a tick
}

TEST_CASE("the name of the CPU is the first one") {
  CHECK(parse_cpu_model("processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\nmodel name\t: Other\n") ==
        "Fast CPU @ 3 GHz");
  CHECK(parse_cpu_model("processor : 0\n").empty());
  CHECK(parse_cpu_model("").empty());
}

TEST_CASE("the machine has the CPUs that may be used, and memory") {
  const SweptMachine machine = describe_machine();
  CHECK(machine.usable_cpus > 0);
  CHECK(machine.cpus >= 1);
  CHECK(machine.memory_bytes > 0);
  const MachineUsage usage;
  const MachineMark before = usage.mark(), after = usage.mark();
  CHECK(after.time >= before.time);
  if (before.busy_seconds && after.busy_seconds) CHECK(*after.busy_seconds >= *before.busy_seconds);
}

}  // namespace leat
