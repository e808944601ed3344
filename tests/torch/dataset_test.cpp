// Datasets of LibTorch's in worker processes.
#include "tests/torch/catch.h"

#include "leat/torch/dataset.h"

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include <torch/csrc/utils/variadic.h>  // which <torch/data/datasets/map.h> needs

#include <torch/data/datasets/base.h>
#include <torch/data/datasets/map.h>
#include <torch/data/transforms/tensor.h>

#include "leat/loader/data_loader.h"
#include "leat/torch/batches.h"
#include "tests/loader/support/parallel_sum.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

// Sample i is data [3], i and two random numbers, and a scalar target.
class Numbers : public ::torch::data::datasets::Dataset<Numbers> {
 public:
  explicit Numbers(std::size_t size) : size_(size) {}
  ::torch::data::Example<> get(std::size_t index) override {
    at::Tensor data = at::rand({3});
    data[0] = static_cast<double>(index);
    return {data, at::full({}, static_cast<std::int64_t>(index) + 100, at::kLong)};
  }
  ::torch::optional<std::size_t> size() const override { return size_; }

 private:
  std::size_t size_;
};

std::vector<at::Tensor> epoch_of(const Dataset& dataset, int workers) {
  DataLoader loader(dataset, {.batch_size = 4, .shuffle = true, .num_workers = workers, .seed = 3});
  std::vector<at::Tensor> data;
  for (auto& batch : torch::batches(loader, 0)) {
    CHECK(at::equal(batch["target"], batch.indices() + 100));
    CHECK(at::equal(batch["data"].select(1, 0), batch.indices().to(at::kFloat)));
    data.push_back(batch["data"].clone());
  }
  return data;
}

TEST_CASE("torch: a dataset of LibTorch's gives the same samples with any number of workers", "[process]") {
  const torch::Dataset dataset{Numbers(40)};
  CHECK(dataset.size() == 40);
  CHECK(to_string(dataset.schema()[0]) == "f32 [3]");
  CHECK(dataset.schema()[1] == Field{"target", DType::i64, {}});
  const auto expected = epoch_of(dataset, 0);
  REQUIRE(expected.size() == 10);
  CHECK_FALSE(expected[0][0][1].item<float>() == expected[0][1][1].item<float>());  // each sample has its own
  for (const int workers : {1, 3}) {
    const auto actual = epoch_of(dataset, workers);
    REQUIRE(actual.size() == 10);
    for (std::size_t i = 0; i < actual.size(); ++i) CHECK(at::equal(actual[i], expected[i]));
  }
}

TEST_CASE("torch: loading in the calling process leaves LibTorch's random numbers as they are") {
  at::manual_seed(5);
  const at::Tensor expected = at::rand({2});
  at::manual_seed(5);
  const torch::Dataset dataset{Numbers(8)};
  DataLoader loader(dataset, {.batch_size = 4});
  loader.next();
  CHECK(at::equal(at::rand({2}), expected));
}

struct TenTimes : ::torch::data::transforms::TensorTransform<> {
  at::Tensor operator()(at::Tensor input) override { return 10 * input; }
};

TEST_CASE("torch: a mapped dataset, and names of the fields") {
  const torch::Dataset dataset{Numbers(4).map(TenTimes{}), {.data = "x", .target = "y"}};
  DataLoader loader(dataset, {.batch_size = 4});
  const auto batch = torch::next(loader);
  CHECK(at::equal((*batch)["x"].select(1, 0), at::tensor({0.F, 10.F, 20.F, 30.F})));
  CHECK(at::equal((*batch)["y"], batch->indices() + 100));
}

class OnlyData : public ::torch::data::datasets::Dataset<OnlyData, ::torch::data::TensorExample> {
 public:
  ::torch::data::TensorExample get(std::size_t index) override {
    return at::ones({static_cast<std::int64_t>(index < 2 ? 2 : 3)});
  }
  ::torch::optional<std::size_t> size() const override { return 4; }
};

TEST_CASE("torch: a dataset without targets has one field, and a sample of another shape is an error") {
  const torch::Dataset dataset{OnlyData()};
  CHECK(dataset.schema().size() == 1);
  DataLoader loader(dataset, {.batch_size = 2});
  CHECK(loader.next().has_value());
  expect_error<SampleError>([&] { loader.next(); }, {"'data'", "[2]", "[3]"});
  CHECK_FALSE(loader.next().has_value());
}

class Sized : public ::torch::data::datasets::Dataset<Sized, ::torch::data::TensorExample> {
 public:
  explicit Sized(::torch::optional<std::size_t> size) : size_(size) {}
  ::torch::data::TensorExample get(std::size_t) override { return at::ones({1}); }
  ::torch::optional<std::size_t> size() const override { return size_; }

 private:
  ::torch::optional<std::size_t> size_;
};

TEST_CASE("torch: a dataset that is empty or without a size is an error") {
  expect_error<ArgumentError>([] { torch::Dataset{Sized(0)}; }, {"empty"});
  expect_error<ArgumentError>([] { torch::Dataset{Sized(::torch::nullopt)}; }, {"size"});
}

// A dataset of leat's whose get() is a function.
class Calls final : public Dataset {
 public:
  Calls(Schema schema, std::function<void(std::size_t, SampleWriter&)> get)
      : schema_(std::move(schema)), get_(std::move(get)) {}
  std::size_t size() const override { return 4; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override { get_(index, out); }

 private:
  Schema schema_;
  std::function<void(std::size_t, SampleWriter&)> get_;
};

TEST_CASE("torch: set() writes tensors of any strides, fixed and ragged") {
  const Calls dataset(
      Schema({{"x", DType::f32, {3, 2}}, Field::ragged("tokens", DType::i64, {.max_length = 9})}),
      [](std::size_t index, SampleWriter& out) {
        torch::set(out, "x", at::arange(6, at::kFloat).view({2, 3}).t());
        torch::set(out, "tokens", at::arange(static_cast<std::int64_t>(index), at::kLong));
      });
  DataLoader loader(dataset, {.batch_size = 4});
  const auto batch = torch::next(loader);
  CHECK(at::equal((*batch)["x"][2], at::tensor({0.F, 3.F, 1.F, 4.F, 2.F, 5.F}).view({3, 2})));
  CHECK(at::equal(batch->ragged("tokens").values, at::tensor({0, 0, 1, 0, 1, 2}, at::kLong)));
}

TEST_CASE("torch: set() refuses what does not fit, and names the field") {
  const auto refused = [](const at::Tensor& tensor, std::initializer_list<std::string_view> fragments) {
    const Calls dataset(Schema({{"x", DType::f32, {2}}}),
                        [&](std::size_t, SampleWriter& out) { torch::set(out, "x", tensor); });
    DataLoader loader(dataset, {.batch_size = 4});
    expect_error<SampleError>([&] { loader.next(); }, fragments);
  };
  refused(at::ones({2}, at::kDouble), {"'x'", "f32 [2]", "f64 [2]"});
  refused(at::ones({3}), {"'x'", "[2]", "[3]"});
  refused(at::Tensor(), {"'x'", "undefined"});
  refused(at::ones({2}, at::kComplexFloat), {"'x'", "ComplexFloat"});
  refused(at::ones({2}).to_sparse(), {"'x'", "dense"});
}

// LibTorch's operations in worker processes after the threads of OpenMP have run in the process that forks: those
// threads are missing in the workers, and a worker that waited for them would hang.
void check_large_products() {
  const at::Tensor half = at::full({300, 300}, 0.5);
  const Calls dataset(Schema({{"sum", DType::f32, {}}}), [&](std::size_t index, SampleWriter& out) {
    const at::Tensor product = at::mm(half, half) * static_cast<double>(index);
    torch::set(out, "sum", product.sum());
  });
  DataLoader loader(dataset, {.batch_size = 1, .num_workers = 2, .timeout = std::chrono::seconds(60)});
  for (auto& batch : torch::batches(loader, 0)) {
    const auto index = static_cast<float>(batch.number());
    CHECK(batch["sum"].item<float>() == index * 75 * 300 * 300);
  }
}

TEST_CASE("torch: operations work in workers when the program has used LibTorch's threads", "[process]") {
  at::set_num_threads(4);
  CHECK(at::full({1000, 1000}, 0.5).sum().item<float>() == 500'000);
  check_large_products();
}

TEST_CASE("torch: operations work in workers when only other code has used OpenMP's threads", "[process]") {
  at::set_num_threads(4);
  parallel_sum(1'000'000);
  check_large_products();
}

TEST_CASE("torch: operations work in workers that a thread of the program starts", "[process]") {
  at::set_num_threads(4);
  CHECK(at::full({1000, 1000}, 0.5).sum().item<float>() == 500'000);
  std::jthread([] { check_large_products(); }).join();
}

TEST_CASE("torch: a worker's operations run on as many threads as it may have", "[process]") {
  at::set_num_threads(4);
  const Calls dataset(Schema({{"threads", DType::i64, {}}}), [](std::size_t, SampleWriter& out) {
    out.set("threads", static_cast<std::int64_t>(at::get_num_threads()));
  });
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 1, .worker_threads = 2});
  CHECK(torch::next(loader)->operator[]("threads")[0].item<std::int64_t>() == 2);
}

}  // namespace
}  // namespace leat::test
