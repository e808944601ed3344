#include "leat/loader/os/cpu_restriction.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <exception>
#include <iostream>
#include <numeric>
#include <thread>

#include "leat/loader/os/cpus.h"

namespace leat::detail {
namespace {

using Cpus = std::vector<int>;

// Runs a test on a thread of its own, so that no other test finds its CPUs changed. Skips it if there is one CPU only.
template <class Body>
void on_own_thread(Body body) {
  const Cpus all = affinity_mask();
  if (all.size() < 2) {
    std::cout << "SKIPPED: this process may use one CPU only\n";
    return;
  }
  std::exception_ptr failure;
  std::thread thread([&] {
    try {
      body(all);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

TEST_CASE("a restricted thread gets its CPUs back, and threads that it starts in between have them all") {
  on_own_thread([](const Cpus& all) {
    CpuRestriction restriction({all.back()});
    CHECK(affinity_mask() == all);
    for (int round = 0; round < 3; ++round) {
      restriction.apply();
      CHECK(affinity_mask() == Cpus{all.back()});
      restriction.apply();  // a second time
      {
        const CpuRestriction::Lifted lifted(restriction);
        CHECK(affinity_mask() == all);
        Cpus inherited;
        std::thread([&] { inherited = affinity_mask(); }).join();
        CHECK(inherited == all);
      }
      CHECK(affinity_mask() == Cpus{all.back()});
      restriction.lift();
      CHECK(affinity_mask() == all);
      restriction.lift();
      CHECK(affinity_mask() == all);
    }
  });
}

TEST_CASE("a restriction is applied again when an exception leaves the code that runs without it") {
  on_own_thread([](const Cpus& all) {
    CpuRestriction restriction({all.front()});
    restriction.apply();
    try {
      const CpuRestriction::Lifted lifted(restriction);
      throw 1;
    } catch (int) {
      CHECK(affinity_mask() == Cpus{all.front()});
    }
  });
}

TEST_CASE("a restriction never gives a thread CPUs that it may not use") {
  on_own_thread([](const Cpus& all) {
    set_affinity({all.front()});
    for (const Cpus& cpus : {Cpus{}, Cpus{all.back()}, Cpus{all.front()}, all, Cpus{65535}}) {
      CpuRestriction restriction(cpus);
      restriction.apply();
      CHECK(affinity_mask() == Cpus{all.front()});
      restriction.lift();
      CHECK(affinity_mask() == Cpus{all.front()});
    }
  });
}

TEST_CASE("CPUs beyond those of the machine do no harm") {
  on_own_thread([](const Cpus& all) {
    Cpus cpus(65536);
    std::iota(cpus.begin(), cpus.end(), 0);
    std::erase(cpus, all.front());
    CpuRestriction restriction(cpus);
    restriction.apply();
    CHECK(affinity_mask() == Cpus(all.begin() + 1, all.end()));
    restriction.lift();
    CHECK(affinity_mask() == all);
  });
}

TEST_CASE("what somebody else does to a thread's CPUs is kept") {
  on_own_thread([](const Cpus& all) {
    CpuRestriction restriction({all.back()});
    restriction.apply();
    set_affinity({all.front()});  // as taskset would
    restriction.lift();
    CHECK(affinity_mask() == Cpus{all.front()});
    restriction.apply();
    CHECK(affinity_mask() == Cpus{all.front()});
    set_affinity(all);
    restriction.apply();
    CHECK(affinity_mask() == Cpus{all.back()});
  });
}

}  // namespace
}  // namespace leat::detail
