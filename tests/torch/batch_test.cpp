// Batches as LibTorch's tensors.
#include "tests/torch/catch.h"

#include "leat/torch/batch.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "leat/loader/data_loader.h"
#include "leat/torch/batches.h"
#include "leat/transfer/prefetcher.h"
#include "tests/support/expect_error.h"

namespace leat::test {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::array kAll{DType::u8,  DType::i8,  DType::u16,    DType::i16, DType::u32,
                          DType::i32, DType::u64, DType::i64,    DType::f16, DType::bf16,
                          DType::f32, DType::f64, DType::boolean};

// A field of shape [2] for each dtype, called by its name. Element 0 is 1 and element 1 is 0, except that "i64" holds
// the index and its double, and the ragged i32 "tokens" is index times the index.
class EveryDtype final : public Dataset {
 public:
  explicit EveryDtype(std::size_t size) : size_(size) {}
  std::size_t size() const override { return size_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    const auto value = static_cast<std::int64_t>(index);
    for (std::size_t field = 0; field < kAll.size(); ++field) write_one(kAll[field], field, out);
    out.values<std::int64_t>("i64")[0] = value;
    out.values<std::int64_t>("i64")[1] = 2 * value;
    for (std::int32_t& token : out.ragged<std::int32_t>("tokens", index))
      token = static_cast<std::int32_t>(index);
    out.ragged<std::uint16_t>("shorts", 0);
  }

 private:
  static void write_one(DType dtype, std::size_t field, SampleWriter& out) {
    const auto bytes = out.bytes(field);
    std::memset(bytes.data(), 0, bytes.size());
    const float f32 = 1;
    const double f64 = 1;
    const Half f16 = to_half(1);
    const BFloat16 bf16 = to_bfloat16(1);
    if (dtype == DType::f32) return (void)std::memcpy(bytes.data(), &f32, sizeof f32);
    if (dtype == DType::f64) return (void)std::memcpy(bytes.data(), &f64, sizeof f64);
    if (dtype == DType::f16) return (void)std::memcpy(bytes.data(), &f16, sizeof f16);
    if (dtype == DType::bf16) return (void)std::memcpy(bytes.data(), &bf16, sizeof bf16);
    bytes[0] = std::byte{1};  // the low byte of an integer
  }

  static Schema every_field() {
    std::vector<Field> fields;
    for (const DType dtype : kAll) fields.push_back({std::string(name_of(dtype)), dtype, {2}});
    fields.push_back(Field::ragged("tokens", DType::i32, {.max_length = 99}));
    fields.push_back(Field::ragged("shorts", DType::u16, {.max_length = 1}));
    return Schema(std::move(fields));
  }

  std::size_t size_;
  Schema schema_ = every_field();
};

torch::Batch next_of(DataLoader& loader) {
  return *torch::next(loader);
}

TEST_CASE("torch: every dtype that LibTorch has arrives with its values, the others are errors") {
  const EveryDtype dataset(4);
  DataLoader loader(dataset, {.batch_size = 4});
  const torch::Batch batch = next_of(loader);
  for (const DType dtype : kAll) {
    const std::string name(name_of(dtype));
    INFO(name);
    if (dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64) {
      expect_error<ArgumentError>([&] { (void)batch[name]; }, {"'" + name + "' is " + name, "LibTorch"});
      continue;
    }
    const at::Tensor tensor = batch[name];
    CHECK(torch::dtype_of_tensor(tensor.scalar_type()) == dtype);
    CHECK(tensor.device().is_cpu());
    CHECK(tensor.sizes() == Sizes{4, 2});
    if (dtype == DType::i64) continue;
    CHECK(tensor[3][0].item<double>() == 1);
    CHECK(tensor[3][1].item<double>() == 0);
  }
  CHECK(at::equal(batch["i64"], at::tensor({0, 0, 1, 2, 2, 4, 3, 6}, at::kLong).view({4, 2})));
  CHECK(batch["bool"].scalar_type() == at::kBool);
  CHECK(batch["bf16"].scalar_type() == at::kBFloat16);
}

TEST_CASE("torch: the fields are the slot's memory, and the batch says what it is") {
  const EveryDtype dataset(10);
  DataLoader loader(dataset, {.batch_size = 4});
  loader.start_epoch(7);
  loader.next();
  HostBatch host = std::move(*loader.next());
  const void* const data = host["f32"].data;
  const torch::Batch batch(std::move(host));
  CHECK(batch["f32"].data_ptr() == data);
  CHECK(batch.size() == 4);
  CHECK(batch.epoch() == 7);
  CHECK(batch.number() == 1);
  CHECK(at::equal(batch.indices(), at::tensor({4, 5, 6, 7}, at::kLong)));
  const torch::Batch last = next_of(loader);
  CHECK(last.size() == 2);
  CHECK(last["f32"].sizes() == Sizes{2, 2});
  CHECK_FALSE(torch::next(loader).has_value());
}

TEST_CASE("torch: a tensor outlives batch, epoch and loader", "[process]") {
  const EveryDtype dataset(40);
  at::Tensor kept, row;
  {
    DataLoader loader(dataset, {.batch_size = 4, .num_workers = 2});
    for (auto& batch : torch::batches(loader, 0)) {
      if (batch.number() == 1) kept = batch["i64"];
      if (batch.number() == 2) row = batch["i64"][1];  // a view of a tensor that is gone
    }
    for (auto& batch : torch::batches(loader, 1)) CHECK(batch.epoch() == 1);
  }
  CHECK(at::equal(kept, at::tensor({4, 8, 5, 10, 6, 12, 7, 14}, at::kLong).view({4, 2})));
  CHECK(at::equal(row, at::tensor({9, 18}, at::kLong)));
}

TEST_CASE(
    "torch: tensors that are kept until no slot is left are an error, and go on when one is destroyed") {
  const EveryDtype dataset(400);
  DataLoader loader(dataset, {.batch_size = 4, .max_held_batches = 1});
  std::vector<at::Tensor> kept;
  for (std::size_t slot = 0; slot < loader.slots().count; ++slot) {
    const torch::Batch batch = next_of(loader);
    kept.push_back(batch["f32"]);
    kept.push_back(batch["i64"].slice(0, 1, 2));
  }
  expect_error<SlotsHeldError>([&] { torch::next(loader); });
  kept.pop_back();
  expect_error<SlotsHeldError>([&] { torch::next(loader); });
  std::jthread([last = std::move(kept.back())]() mutable { last.reset(); }).join();
  kept.pop_back();
  CHECK(torch::next(loader).has_value());
}

TEST_CASE("torch: the batches of two loaders are their own", "[process]") {
  const EveryDtype first(8), second(40);
  DataLoader one(first, {.batch_size = 4, .num_workers = 1});
  DataLoader other(second, {.batch_size = 10, .num_workers = 1});
  std::int64_t sum = 0, batches = 0;
  for (auto& batch : torch::batches(one, 0)) {
    const at::Tensor indices = batch["i64"];
    const auto beside = torch::next(other);
    sum += indices.sum().item<std::int64_t>() + (*beside)["i64"].sum().item<std::int64_t>();
    ++batches;
  }
  CHECK(batches == 2);
  CHECK(sum == 3 * (28 + 190));
}

TEST_CASE("torch: a ragged field is values and offsets, or padded") {
  const EveryDtype dataset(4);
  DataLoader loader(dataset, {.batch_size = 4});
  const torch::Batch batch = next_of(loader);
  const torch::Ragged tokens = batch.ragged("tokens");
  CHECK(at::equal(tokens.values, at::tensor({1, 2, 2, 3, 3, 3}, at::kInt)));
  CHECK(at::equal(tokens.offsets, at::tensor({0, 0, 1, 3, 6}, at::kLong)));
  CHECK(at::equal(batch.padded("tokens", -1),
                  at::tensor({-1, -1, -1, 1, -1, -1, 2, 2, -1, 3, 3, 3}, at::kInt).view({4, 3})));
  CHECK(batch.padded("tokens", 0, 8).sizes() == Sizes{4, 8});
  CHECK(batch.padded("tokens", 0, 8).sum().item<std::int64_t>() == 14);
  expect_error<ArgumentError>([&] { (void)batch["tokens"]; }, {"'tokens'", "ragged"});
  expect_error<ArgumentError>([&] { batch.ragged("f32"); }, {"'f32'"});
  expect_error<ArgumentError>([&] { batch.padded("nothing", 0); }, {"'nothing'"});
  expect_error<ArgumentError>([&] { batch.padded("tokens", 0, 0); });
  expect_error<ArgumentError>([&] { batch.padded("shorts", 0); }, {"'shorts' is u16"});
}

TEST_CASE("torch: a ragged field without any element is padded to no columns") {
  const EveryDtype dataset(1);
  DataLoader loader(dataset, {.batch_size = 1});
  const torch::Batch batch = next_of(loader);
  CHECK(batch.ragged("tokens").values.numel() == 0);
  CHECK(batch.padded("tokens", 0, 4).sizes() == Sizes{1, 0});
}

// Pixels that a device normalizes.
class Pixels final : public Dataset {
 public:
  std::size_t size() const override { return 40; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    for (std::uint8_t& value : out.values<std::uint8_t>("image")) value = static_cast<std::uint8_t>(index);
    out.set("label", static_cast<std::int64_t>(index));
  }

 private:
  Schema schema_{{{"image", DType::u8, {2, 2, 3}}, {"label", DType::i64, {}}}};
};

TEST_CASE("torch: batches of a prefetcher are complete when they arrive, and may be kept", "[process]") {
  const Pixels dataset;
  DataLoader loader(dataset, {.batch_size = 4, .num_workers = 2});
  at::Tensor kept;
  {
    Prefetcher feed(loader, host_device(),
                    {.buffers = 3, .normalize = {{.field = "image", .output = "pixels", .how = {}}}});
    const Stream stream = host_device().make_stream();
    std::int64_t next = 0;
    for (auto& batch : torch::batches(feed, 0, stream)) {
      CHECK(batch["pixels"].sizes() == Sizes{4, 3, 2, 2});
      CHECK(batch["pixels"].device().is_cpu());
      CHECK(at::equal(batch["label"], batch.indices()));
      CHECK(batch["image"][3][1][1][2].item<std::int64_t>() == next + 3);
      if (next == 0) kept = batch["image"];
      next += 4;
      expect_error<ArgumentError>([&] { batch.ragged("image"); }, {"\"image\"", "not ragged"});
    }
    CHECK(next == 40);
    CHECK(at::equal(kept[2], at::full({2, 2, 3}, 2, at::kByte)));
    kept.reset();  // before its stream ends
  }
}

TEST_CASE("torch: a prefetcher's batches have ragged fields, and padded ones if it pads them") {
  const EveryDtype dataset(12);
  DataLoader loader(dataset, {.batch_size = 4});
  Prefetcher feed(loader, host_device(),
                  {.transforms = {FieldPadding{.field = "tokens", .output = "padded"}}});
  const Stream stream = host_device().make_stream();
  for (auto& batch : torch::batches(feed, 0, stream)) {
    const torch::Ragged tokens = batch.ragged("tokens");
    const auto first = static_cast<std::int64_t>(batch.number()) * 4;
    CHECK(tokens.offsets.sizes() == Sizes{5});
    CHECK(tokens.values.size(0) == 4 * first + 6);
    CHECK(batch["padded"].sizes() == Sizes{4, first + 3});
    CHECK(at::equal(batch["padded"][3], tokens.values.slice(0, 3 * first + 3)));
    expect_error<ArgumentError>([&] { batch.padded("tokens", 0); }, {"'tokens'", "FieldPadding"});
  }
}

TEST_CASE("torch: work that failed on a prefetcher's stream is thrown before a tensor is read") {
  const Pixels dataset;
  DataLoader loader(dataset, {.batch_size = 4});
  Prefetcher feed(loader, host_device());
  const Stream stream = host_device().make_stream();
  host_device().enqueue(stream, [] { throw std::runtime_error("a step failed"); });
  expect_error<std::runtime_error>([&] { torch::next(feed, stream); }, {"a step failed"});
}

TEST_CASE("torch: the CPU is the host's device") {
  CHECK(torch::device_of(host_device()) == at::Device(at::kCPU));
}

}  // namespace
}  // namespace leat::test
