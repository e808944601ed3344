// The contract of Math, run over the host and, where there is one, a GPU.
#include "tools/train/math.h"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "tests/support/expect_error.h"

using namespace leat;
using namespace leat::tools;

namespace {

// Memory, a stream and the math of one device, with values going in and out as vectors.
class Bench {
 public:
  explicit Bench(Device& device)
      : device_(&device), math_(make_math(device)), stream_(device.make_stream()) {}

  template <class T>
  T* put(const std::vector<T>& values) {
    buffers_.push_back(device_->allocate(values.size() * sizeof(T) + 1));
    device_->copy(buffers_.back().data(), values.data(), values.size() * sizeof(T), stream_);
    device_->synchronize(stream_.ref());
    return reinterpret_cast<T*>(buffers_.back().data());
  }
  Matrix matrix(std::size_t rows, std::size_t columns, const std::vector<float>& values) {
    REQUIRE(values.size() == rows * columns);
    return {put(values), rows, columns};
  }
  template <class T>
  std::vector<T> get(const T* memory, std::size_t count) {
    std::vector<T> values(count);
    device_->copy(values.data(), memory, count * sizeof(T), stream_);
    device_->synchronize(stream_.ref());
    return values;
  }
  std::vector<float> get(Matrix matrix) { return get(matrix.data, matrix.count()); }
  Math& math() { return *math_; }
  StreamRef stream() { return stream_; }

 private:
  Device* device_;
  std::unique_ptr<Math> math_;
  Stream stream_;
  std::vector<DeviceBuffer> buffers_;
};

// Small whole numbers: every product and sum below is exact in f32, whatever the order.
std::vector<float> whole_numbers(std::size_t count, std::size_t factor) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * factor % 7) - 3;
  return values;
}

std::vector<float> transpose(const std::vector<float>& values, std::size_t rows, std::size_t columns) {
  std::vector<float> result(values.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = values[r * columns + c];
  }
  return result;
}

std::vector<float> naive_product(const std::vector<float>& a, const std::vector<float>& b, std::size_t m,
                                 std::size_t k, std::size_t n) {
  std::vector<float> out(m * n, 0.0F);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t l = 0; l < k; ++l) out[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
  return out;
}

void check_products(Device& device) {
  const std::size_t m = 5, k = 33, n = 18;
  const auto a = whole_numbers(m * k, 3), b = whole_numbers(k * n, 5);
  const auto expected = naive_product(a, b, m, k, n);
  for (const bool a_transposed : {false, true}) {
    for (const bool b_transposed : {false, true}) {
      Bench bench(device);
      const Factor left =
          a_transposed ? transposed(bench.matrix(k, m, transpose(a, m, k))) : bench.matrix(m, k, a);
      const Factor right =
          b_transposed ? transposed(bench.matrix(n, k, transpose(b, k, n))) : bench.matrix(k, n, b);
      const Matrix out = bench.matrix(m, n, std::vector<float>(m * n, NAN));
      bench.math().multiply(left, right, 0, out, bench.stream());  // beta 0: what was there does not count
      CHECK(bench.get(out) == expected);
      bench.math().multiply(left, right, 2, out, bench.stream());
      auto tripled = expected;
      for (float& value : tripled) value *= 3;
      CHECK(bench.get(out) == tripled);
    }
  }
}

void check_close(const std::vector<float>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == Catch::Approx(expected[i]).margin(1e-7));
}

void check_elementwise(Device& device) {
  Bench bench(device);
  const float* bias = bench.put<float>({10, -10, 0});
  const Matrix plain = bench.matrix(2, 3, {1, 2, 3, -1, -2, -3});
  const Matrix activation = bench.matrix(2, 3, {1, 2, 0, -11, 14, -std::log(4.0F)});
  bench.math().add_bias(plain, bias, false, bench.stream());
  bench.math().add_bias(activation, bias, true, bench.stream());
  CHECK(bench.get(plain) == std::vector<float>{11, -8, 3, 9, -12, -3});
  const std::vector<double> elu{11, std::expm1(-8), 0, std::expm1(-1), 4, -0.75};
  const std::vector<double> slope{1, std::exp(-8), 1, std::exp(-1), 1, 0.25};
  check_close(bench.get(activation), elu);

  const Matrix gradient = bench.matrix(2, 3, {2, 2, 2, 2, 2, 2});
  bench.math().elu_backward(gradient, activation.data, bench.stream());
  auto expected = slope;
  for (double& value : expected) value *= 2;
  check_close(bench.get(gradient), expected);

  const Matrix whole = bench.matrix(2, 3, {1, 0, 3, 4, 0, 0});
  float* sums = bench.put<float>({7, 7, 7});
  bench.math().sum_rows(whole, sums, bench.stream());
  CHECK(bench.get(sums, 3) == std::vector<float>{5, 0, 3});
  bench.math().sum_rows({whole.data, 0, 3}, sums, bench.stream());
  CHECK(bench.get(sums, 3) == std::vector<float>{0, 0, 0});
}

void check_sgd(Device& device) {
  Bench bench(device);
  float* weights = bench.put<float>({1, 2});
  float* velocity = bench.put<float>({4, 0});
  const float* gradients = bench.put<float>({8, -1});
  // v = 0.5 v + g + 0.25 w; w -= 0.125 v, exact in binary.
  bench.math().sgd(weights, gradients, velocity, 2, {0.125F, 0.5F, 0.25F}, bench.stream());
  CHECK(bench.get(velocity, 2) == std::vector<float>{10.25F, -0.5F});
  CHECK(bench.get(weights, 2) == std::vector<float>{1 - 10.25F / 8, 2 + 0.0625F});
}

void check_cross_entropy(Device& device) {
  Bench bench(device);
  // Row 0: equal logits; row 1: probabilities 1/2, 1/4, 1/4; row 2: so far apart that exp() alone would
  // overflow.
  const float ln2 = std::log(2.0F);
  const Matrix logits = bench.matrix(3, 3, {5, 5, 5, ln2, 0, 0, -1000, 1000, 0});
  const std::int64_t* labels = bench.put<std::int64_t>({0, 1, 1});
  double* totals = bench.put<double>({100, 10});
  float* gradient = bench.put(std::vector<float>(9));
  bench.math().softmax_cross_entropy(logits, labels, 0.5F, gradient, totals, bench.stream());
  const auto sums = bench.get(totals, 2);
  CHECK(sums[0] == Catch::Approx(100 + std::log(3.0) + std::log(4.0) + 0).epsilon(1e-7));
  CHECK(sums[1] == 12);  // rows 0 (the first of equals) and 2
  const std::vector<double> expected{-1.0 / 3, 1.0 / 6, 1.0 / 6, 0.25, -0.375, 0.125, 0, 0, 0};
  const auto values = bench.get(gradient, 9);
  check_close(values, expected);
  bench.math().softmax_cross_entropy(logits, labels, 0.5F, logits.data, totals, bench.stream());
  CHECK(bench.get(logits) == values);  // in place
}

void check_all(Device& device) {
  check_products(device);
  check_elementwise(device);
  check_sgd(device);
  check_cross_entropy(device);
}

}  // namespace

TEST_CASE("the host's math keeps the contract") {
  check_all(host_device());
}

TEST_CASE("a GPU's math keeps the contract", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::printf("SKIPPED: %s\n", cuda_unavailable_reason().c_str());
    return;
  }
  check_all(cuda_device());
}

TEST_CASE("products on several streams at once do not disturb each other") {
  constexpr std::size_t kStreams = 4, kRounds = 4000;
  constexpr std::size_t m = 33, k = 300,
                        n = 110;  // large enough for the buffers that OpenBLAS's callers share
  std::vector<std::unique_ptr<Bench>> benches;
  std::vector<std::vector<float>> expected(kStreams);
  std::vector<int> wrong(kStreams, 0);
  for (std::size_t s = 0; s < kStreams; ++s) {
    const auto a = whole_numbers(m * k, s + 1), b = whole_numbers(k * n, s + 2);
    expected[s] = naive_product(a, b, m, k, n);
    benches.push_back(std::make_unique<Bench>(host_device()));
    Bench& bench = *benches.back();
    const Matrix left{bench.put(a), m, k}, right{bench.put(b), k, n};
    const Matrix out{bench.put(std::vector<float>(m * n)), m, n};
    for (std::size_t round = 0; round < kRounds; ++round) {
      bench.math().multiply(left, right, 0, out, bench.stream());
      host_device().enqueue(bench.stream(), [&, s, out] {
        wrong[s] += !std::equal(expected[s].begin(), expected[s].end(), out.data);
      });
    }
  }
  for (const auto& bench : benches) bench->stream().synchronize();
  CHECK(wrong == std::vector<int>(kStreams, 0));
}

TEST_CASE("a product that does not fit is refused with its shapes") {
  Bench bench(host_device());
  const Matrix a{nullptr, 2, 3}, b{nullptr, 4, 5};
  test::expect_error<ArgumentError>(
      [&] {
        bench.math().multiply(a, b, 0, {nullptr, 2, 5}, bench.stream());
      },
      {"[2, 3]", "[4, 5]", "[2, 5]"});
}

TEST_CASE("a label out of range is the stream's failure on the host") {
  Bench bench(host_device());
  const Matrix logits = bench.matrix(1, 3, {0, 0, 0});
  const std::int64_t* labels = bench.put<std::int64_t>({3});
  double* totals = bench.put<double>({0, 0});
  bench.math().softmax_cross_entropy(logits, labels, 1, nullptr, totals, bench.stream());
  test::expect_error<Error>([&] { bench.stream().synchronize(); }, {"label 3", "[0, 3)"});
}
