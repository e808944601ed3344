#include "leat/loader/dlpack.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"

namespace leat {

namespace {

constexpr std::uint8_t kBool = 6;  // kDLBool, which headers before DLPack 0.8 do not have

std::uint8_t code_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
    case DType::u16:
    case DType::u32:
    case DType::u64:
      return kDLUInt;
    case DType::i8:
    case DType::i16:
    case DType::i32:
    case DType::i64:
      return kDLInt;
    case DType::boolean:
      return kBool;
    case DType::bf16:
      return kDLBfloat;
    case DType::f16:
    case DType::f32:
    case DType::f64:
      return kDLFloat;
  }
  throw ArgumentError("DLPack has no such dtype");
}

// A DLManagedTensor and everything that it points to. Its deleter destroys the whole object.
struct Export {
  std::shared_ptr<const HostBatch> batch;  // shared with the other tensors of the batch
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in elements; consumers may insist on them
  DLManagedTensor tensor{};
};

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::size_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0; stride *= shape[i]) {
    strides[i] = static_cast<std::int64_t>(stride);
  }
  return strides;
}

void require_inside(const HostBatch& batch, const TensorView& view) {
  const std::span<const std::byte> slot = batch.bytes();
  const auto* const first = static_cast<const std::byte*>(view.data);
  const std::less<> before;
  const bool inside = !before(first, slot.data()) && !before(slot.data() + slot.size(), first) &&
                      view.bytes() <= static_cast<std::size_t>(slot.data() + slot.size() - first);
  if (!inside) {
    throw ArgumentError(
        fmt::format("a tensor of shape {} cannot be exported with batch {}: it is not part of it",
                    to_string(view.shape), batch.number()));
  }
}

const HostBatch& require_batch(const std::shared_ptr<const HostBatch>& batch) {
  if (batch == nullptr) throw ArgumentError("there is no batch to export a tensor of");
  return *batch;
}

}  // namespace

void DlpackDeleter::operator()(DLManagedTensor* tensor) const noexcept {
  tensor->deleter(tensor);
}

DlpackTensor to_dlpack(std::shared_ptr<const HostBatch> batch, std::string_view field) {
  const TensorView view = require_batch(batch)[field];
  return to_dlpack(std::move(batch), view);
}

DlpackTensor to_dlpack(std::shared_ptr<const HostBatch> batch, const TensorView& view) {
  require_inside(require_batch(batch), view);
  auto exported = std::make_unique<Export>();
  exported->batch = std::move(batch);
  exported->shape.assign(view.shape.begin(), view.shape.end());
  exported->strides = strides_of(view.shape);

  DLManagedTensor& managed = exported->tensor;
  managed.dl_tensor.data = view.data;
  managed.dl_tensor.device = {kDLCPU, 0};
  managed.dl_tensor.ndim = static_cast<int>(view.shape.size());
  managed.dl_tensor.dtype = {code_of(view.dtype), static_cast<std::uint8_t>(8 * size_of(view.dtype)), 1};
  managed.dl_tensor.shape = exported->shape.data();
  managed.dl_tensor.strides = exported->strides.data();
  managed.manager_ctx = exported.get();
  managed.deleter = [](DLManagedTensor* self) { delete static_cast<Export*>(self->manager_ctx); };
  return DlpackTensor(&exported.release()->tensor);
}

}  // namespace leat
