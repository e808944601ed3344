// Gloo communicators in a process that the program forks.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <vector>

#include "leat/loader/os/child_process.h"
#include "tests/parallel/gloo/gloo_group.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

TEST_CASE("a program's forked helper that inherits communicators leaves them alone", "[process]") {
  Group group = gloo_group(2, 20s);
  const auto sum = [&](int rank) {
    const Stream stream = host_device().make_stream();
    std::vector<float> values(100, static_cast<float>(rank + 1));
    group[static_cast<std::size_t>(rank)]->all_reduce({values.data(), values.size(), DType::f32},
                                                      ReduceOp::sum, stream);
    stream.ref().synchronize();
    return values[99];
  };
  run_ranks(2, [&](int rank) { expect_equal(sum(rank), 3.0F, "the sum"); });
  ChildProcess helper = ChildProcess::run([&] {
    expect_error<CommunicationError>([&] { sum(0); }, {"another process"});
    { const auto destroyed = std::move(group); }
    return 0;
  });
  const auto status = helper.wait(5s);
  REQUIRE(status);
  CHECK(*status == 0);
  run_ranks(2, [&](int rank) { expect_equal(sum(rank), 3.0F, "the sum"); });
}

}  // namespace
}  // namespace leat::test
