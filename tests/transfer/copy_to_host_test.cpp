#include "leat/transfer/copy_to_host.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

TEST_CASE("copy_to_host() sees what the stream wrote before, as elements and as bytes") {
  Device& device = host_device();
  const Stream stream = device.make_stream();
  const DeviceBuffer memory = device.allocate(6 * sizeof(std::int16_t));
  const std::array<std::int16_t, 6> values{1, -2, 3, -4, 5, -6};
  device.copy(memory.data(), values.data(), sizeof values, stream);
  const TensorView view{memory.data(), DType::i16, {2, 3}};
  CHECK(copy_to_host<std::int16_t>(view, stream) == std::vector<std::int16_t>{1, -2, 3, -4, 5, -6});
  CHECK(copy_to_host<std::int16_t>(view.rows(1, 2), stream) == std::vector<std::int16_t>{-4, 5, -6});
  CHECK(copy_to_host(view, stream).size() == 12);
  CHECK(copy_to_host(view, stream)[2] == std::byte{0xfe});
}

TEST_CASE("copy_to_host() of no rows is empty") {
  const Stream stream = host_device().make_stream();
  CHECK(copy_to_host<float>({nullptr, DType::f32, {0, 3}}, stream).empty());
}

TEST_CASE("copy_to_host() throws for another dtype, and what failed on the stream") {
  Device& device = host_device();
  const Stream stream = device.make_stream();
  const DeviceBuffer memory = device.allocate(16);
  const TensorView view{memory.data(), DType::f32, {4}};
  expect_error<ArgumentError>([&] { copy_to_host<double>(view, stream); }, {"f32", "f64"});
  device.enqueue(stream, [] { throw std::runtime_error("the work failed"); });
  expect_error<std::runtime_error>([&] { copy_to_host(view, stream); }, {"the work failed"});
}

}  // namespace
}  // namespace leat::test
