#include "tools/train/classifier.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

#include "leat/datasets/rng.h"
#include "tests/support/expect_error.h"

using namespace leat;
using namespace leat::tools;

namespace {

constexpr std::size_t kInputs = 7, kRows = 5, kClasses = 4;
const ClassifierShape kShape{kInputs, {6, 5}, kClasses};

// The same network in double, straight from the definition: the mean loss of the rows.
double reference_loss(const std::vector<double>& parameters, const std::vector<float>& images,
                      const std::vector<std::int64_t>& labels) {
  const std::vector<std::size_t> widths{kInputs, 6, 5, kClasses};
  double loss = 0;
  for (std::size_t r = 0; r < labels.size(); ++r) {
    std::vector<double> x(images.begin() + static_cast<std::ptrdiff_t>(r * kInputs),
                          images.begin() + static_cast<std::ptrdiff_t>((r + 1) * kInputs));
    const double* next = parameters.data();
    for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
      const std::size_t in = widths[layer], out = widths[layer + 1];
      std::vector<double> y(next + in * out, next + in * out + out);  // the bias
      for (std::size_t o = 0; o < out; ++o) {
        for (std::size_t i = 0; i < in; ++i) y[o] += next[o * in + i] * x[i];
        if (layer + 2 < widths.size()) y[o] = y[o] > 0 ? y[o] : std::expm1(y[o]);
      }
      next += in * out + out;
      x = y;
    }
    double sum = 0;
    for (const double logit : x) sum += std::exp(logit);
    loss += std::log(sum) - x[static_cast<std::size_t>(labels[r])];
  }
  return loss / static_cast<double>(labels.size());
}

struct Data {
  std::vector<float> images;
  std::vector<std::int64_t> labels;
};

Data random_rows(std::size_t rows) {
  Rng rng(11, 0, 0);
  Data data;
  for (std::size_t i = 0; i < rows * kInputs; ++i)
    data.images.push_back(static_cast<float>(rng.uniform(-1, 1)));
  for (std::size_t i = 0; i < rows; ++i)
    data.labels.push_back(static_cast<std::int64_t>(rng.below(kClasses)));
  return data;
}

// `data` in a device's memory, with room for the two totals.
struct Uploaded {
  Uploaded(Device& device, const Data& data, StreamRef stream)
      : images(device.allocate(data.images.size() * 4 + 4)),
        labels(device.allocate(data.labels.size() * 8 + 8)),
        totals(device.allocate(16)) {
    device.copy(images.data(), data.images.data(), data.images.size() * 4, stream);
    device.copy(labels.data(), data.labels.data(), data.labels.size() * 8, stream);
    device.fill_zero(totals.data(), 16, stream);
    rows = {reinterpret_cast<float*>(images.data()), reinterpret_cast<std::int64_t*>(labels.data()),
            data.labels.size()};
    device.synchronize(stream);
  }
  double* sums() const { return reinterpret_cast<double*>(totals.data()); }

  DeviceBuffer images, labels, totals;
  LabeledRows rows;
};

void check_gradients(Device& device) {
  const Stream stream = device.make_stream();
  Classifier classifier(device, kShape, kRows, 42);
  const Data data = random_rows(kRows);
  const Uploaded on_device(device, data, stream);
  std::vector<std::size_t> order;
  classifier.train(
      on_device.rows, 1.0F / kRows, on_device.sums(), [&](std::size_t i) { order.push_back(i); }, stream);
  CHECK(order == std::vector<std::size_t>{5, 4, 3, 2, 1, 0});

  const auto floats = classifier.parameters().values_on_host(stream);
  const auto gradients = classifier.parameters().gradients_on_host(stream);
  std::vector<double> parameters(floats.begin(), floats.end());
  double totals[2] = {};
  device.copy(totals, on_device.sums(), sizeof totals, stream);
  device.synchronize(stream.ref());
  CHECK(totals[0] / kRows ==
        Catch::Approx(reference_loss(parameters, data.images, data.labels)).epsilon(1e-6));

  REQUIRE(gradients.size() == (7 + 1) * 6 + (6 + 1) * 5 + (5 + 1) * 4);
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double value = parameters[i];
    parameters[i] = value + kStep;
    const double above = reference_loss(parameters, data.images, data.labels);
    parameters[i] = value - kStep;
    const double below = reference_loss(parameters, data.images, data.labels);
    parameters[i] = value;
    INFO("parameter element " << i);
    CHECK(gradients[i] == Catch::Approx((above - below) / (2 * kStep)).margin(2e-6).epsilon(1e-5));
  }
}

}  // namespace

TEST_CASE("gradients of the classifier equal finite differences of the definition") {
  check_gradients(host_device());
}

TEST_CASE("gradients of the classifier equal finite differences on a GPU", "[gpu]") {
  if (cuda_device_count() == 0) {
    std::printf("SKIPPED: %s\n", cuda_unavailable_reason().c_str());
    return;
  }
  check_gradients(cuda_device());
}

TEST_CASE("classifiers of one seed start alike, of another do not") {
  Device& device = host_device();
  const Stream stream = device.make_stream();
  Classifier a(device, kShape, 1, 3), b(device, kShape, 9, 3), c(device, kShape, 1, 4);
  const auto values = a.parameters().values_on_host(stream);
  CHECK(values == b.parameters().values_on_host(stream));
  CHECK(values != c.parameters().values_on_host(stream));
  const auto& first = a.parameters()[0];
  CHECK(first.name == "layer0.weight");
  CHECK(first.shape == Shape{6, kInputs});
  for (std::size_t i = 0; i < first.count; ++i) CHECK(std::abs(values[i]) <= std::sqrt(6.0 / kInputs));
  CHECK(values[first.count] == 0);  // the first bias
}

TEST_CASE("weight decay leaves biases alone") {
  Device& device = host_device();
  const Stream stream = device.make_stream();
  Classifier classifier(device, kShape, kRows, 42);
  auto& parameters = classifier.parameters();
  const Data data = random_rows(kRows);
  const Uploaded rows(device, data, stream);
  classifier.train(
      rows.rows, 0.5F, rows.sums(), [](std::size_t) {}, stream);
  classifier.sgd_step({1.0F, 0.0F, 0.0F}, stream);  // biases are no longer zero
  const auto before = parameters.values_on_host(stream);
  classifier.train(
      rows.rows, 0.0F, rows.sums(), [](std::size_t) {}, stream);  // gradients of zero
  classifier.sgd_step({0.5F, 0.0F, 0.5F}, stream);
  const auto after = parameters.values_on_host(stream);
  std::size_t i = 0;
  for (const ModelParameter& each : parameters.all()) {
    const float factor = each.decays ? 0.75F : 1.0F;
    for (std::size_t e = 0; e < each.count; ++e, ++i) CHECK(after[i] == Catch::Approx(before[i] * factor));
  }
}

TEST_CASE("shapes that cannot be are refused") {
  Device& device = host_device();
  test::expect_error<ArgumentError>(
      [&] {
        Classifier(device, {8, {0}, 3}, 1, 0);
      },
      {"[8, 0, 3]", "empty layer"});
  test::expect_error<ArgumentError>([&] { Classifier(device, {8, {}, 1}, 1, 0); }, {"two classes"});
  const Stream stream = device.make_stream();
  Classifier classifier(device, kShape, 2, 0);
  const Uploaded rows(device, random_rows(3), stream);
  test::expect_error<ArgumentError>([&] { classifier.evaluate(rows.rows, rows.sums(), stream); },
                                    {"3 rows", "2"});
  const Uploaded none(device, {}, stream);
  test::expect_error<ArgumentError>(
      [&] {
        classifier.train(
            none.rows, 1, none.sums(), [](std::size_t) {}, stream);
      },
      {"at least one row"});
}
