#include "leat/loader/dlpack.h"

#include <dlpack/dlpack.h>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "leat/loader/data_loader.h"
#include "tests/loader/support/arithmetic_dataset.h"
#include "tests/loader/support/each_worker_kind.h"
#include "tests/loader/support/ragged_dataset.h"
#include "tests/support/expect_error.h"

namespace leat {
namespace {

using test::ArithmeticDataset;
using test::expect_error;
using test::RaggedDataset;

std::shared_ptr<const HostBatch> next_of(DataLoader& loader) {
  return std::make_shared<const HostBatch>(std::move(*loader.next()));
}

std::vector<std::int64_t> shape_of(const DLManagedTensor& tensor) {
  return {tensor.dl_tensor.shape, tensor.dl_tensor.shape + tensor.dl_tensor.ndim};
}

LEAT_LOADER_TEST(outlives, "DLPack: a tensor outlives its batch and its loader") {
  const ArithmeticDataset dataset(40);
  DlpackTensor tensor;
  {
    DataLoader loader(dataset, workers.with({.batch_size = 4}));
    loader.next();
    tensor = to_dlpack(next_of(loader), "values");
    while (loader.next()) {  // no other batch is loaded over it
    }
  }
  const auto* values = static_cast<const std::int32_t*>(tensor->dl_tensor.data);
  for (std::int32_t i = 0; i < 20; ++i) CHECK(values[i] == 10 * (4 + i / 5) + i % 5);
}

LEAT_LOADER_TEST(gives_back, "DLPack: the slot comes back with the last tensor, on whatever thread that is") {
  const ArithmeticDataset dataset(400);
  DataLoader loader(dataset, workers.with({.batch_size = 4, .max_held_batches = 1}));
  std::vector<DlpackTensor> tensors;
  for (std::size_t slot = 0; slot < loader.slots().count; ++slot) {
    const auto batch = next_of(loader);
    tensors.push_back(to_dlpack(batch, "values"));
    tensors.push_back(to_dlpack(batch, "label"));
  }
  expect_error<SlotsHeldError>([&] { loader.next(); });
  tensors.pop_back();
  expect_error<SlotsHeldError>([&] { loader.next(); });
  std::jthread([last = tensors.back().release()] { last->deleter(last); }).join();
  CHECK(loader.next()->number() == loader.slots().count);
}

TEST_CASE("DLPack: bools are bools") {
  class Evenness final : public Dataset {
   public:
    std::size_t size() const override { return 4; }
    const Schema& schema() const override { return schema_; }
    void get(std::size_t index, Rng&, SampleWriter& out) const override { out.set("even", index % 2 == 0); }

   private:
    Schema schema_{{{"even", DType::boolean, {}}}};
  };
  const Evenness dataset;
  DataLoader loader(dataset, {.batch_size = 4});
  const DlpackTensor tensor = to_dlpack(next_of(loader), "even");
  CHECK(tensor->dl_tensor.dtype.code == 6);  // kDLBool
  CHECK(tensor->dl_tensor.dtype.bits == 8);
  const auto* even = static_cast<const bool*>(tensor->dl_tensor.data);
  for (std::size_t i = 0; i < 4; ++i) CHECK(even[i] == (i % 2 == 0));
}

TEST_CASE("DLPack: shape, strides and dtype are the field's") {
  const ArithmeticDataset dataset(4);
  DataLoader loader(dataset, {.batch_size = 4});
  const auto batch = next_of(loader);
  const DlpackTensor tensor = to_dlpack(batch, "values");
  const DLTensor& view = tensor->dl_tensor;
  CHECK(view.data == (*batch)["values"].data);
  CHECK(view.device.device_type == kDLCPU);
  CHECK(shape_of(*tensor) == std::vector<std::int64_t>{4, 5});
  CHECK(view.strides[0] == 5);
  CHECK(view.strides[1] == 1);
  CHECK(view.byte_offset == 0);
  CHECK(view.dtype.code == kDLInt);
  CHECK(view.dtype.bits == 32);
  CHECK(view.dtype.lanes == 1);
}

TEST_CASE("DLPack: every dtype has its code and its bits") {
  struct Expected {
    DType dtype;
    int code, bits;
  };
  const std::array<Expected, 12> all{{{DType::u8, kDLUInt, 8},
                                      {DType::i8, kDLInt, 8},
                                      {DType::u16, kDLUInt, 16},
                                      {DType::i16, kDLInt, 16},
                                      {DType::u32, kDLUInt, 32},
                                      {DType::i32, kDLInt, 32},
                                      {DType::u64, kDLUInt, 64},
                                      {DType::i64, kDLInt, 64},
                                      {DType::f16, kDLFloat, 16},
                                      {DType::bf16, kDLBfloat, 16},
                                      {DType::f32, kDLFloat, 32},
                                      {DType::f64, kDLFloat, 64}}};
  const ArithmeticDataset dataset(4);
  DataLoader loader(dataset, {.batch_size = 4});
  const auto batch = next_of(loader);
  for (const Expected& expected : all) {
    const DlpackTensor tensor = to_dlpack(batch, TensorView{batch->bytes().data(), expected.dtype, {2}});
    INFO(name_of(expected.dtype));
    CHECK(tensor->dl_tensor.dtype.code == expected.code);
    CHECK(tensor->dl_tensor.dtype.bits == expected.bits);
  }
}

TEST_CASE("DLPack: ragged fields are two tensors, values and offsets") {
  const RaggedDataset dataset(4);
  DataLoader loader(dataset, {.batch_size = 4});
  const auto batch = next_of(loader);
  const DlpackTensor values = to_dlpack(batch, batch->ragged_values("boxes.corners"));
  const DlpackTensor offsets = to_dlpack(batch, batch->ragged_offsets("boxes.corners"));
  CHECK(shape_of(*values) == std::vector<std::int64_t>{3, 4});
  CHECK(shape_of(*offsets) == std::vector<std::int64_t>{5});
  CHECK(static_cast<const std::int64_t*>(offsets->dl_tensor.data)[4] == 3);
  expect_error<ArgumentError>([&] { to_dlpack(batch, "tokens"); }, {"'tokens'", "ragged"});
}

TEST_CASE("DLPack: only what is the batch's can be exported") {
  const ArithmeticDataset dataset(8);
  DataLoader loader(dataset, {.batch_size = 4});
  const auto batch = next_of(loader);
  const DlpackTensor rows = to_dlpack(batch, (*batch)["values"].rows(1, 3));
  CHECK(shape_of(*rows) == std::vector<std::int64_t>{2, 5});
  expect_error<ArgumentError>([&] { to_dlpack(batch, "nothing"); }, {"'nothing'"});
  expect_error<ArgumentError>([&] { to_dlpack(nullptr, "values"); }, {"no batch"});
  float elsewhere = 0;
  expect_error<ArgumentError>(
      [&] {
        to_dlpack(batch, TensorView{&elsewhere, DType::f32, {1}});
      },
      {"not part"});
  TensorView beyond = (*batch)["noise"];
  beyond.shape[0] = 1000;
  expect_error<ArgumentError>([&] { to_dlpack(batch, beyond); }, {"not part", "[1000, 2]"});
}

}  // namespace
}  // namespace leat
