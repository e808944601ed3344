#include "leat/datasets/base/dlpack_tensor.h"

#include <dlpack/dlpack.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"

namespace leat::detail {

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
  std::shared_ptr<const void> owner;  // shared with the other tensors of the batch
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

}  // namespace

DLManagedTensor* make_dlpack_tensor(const TensorView& view, DlpackDevice device,
                                    std::shared_ptr<const void> owner) {
  auto exported = std::make_unique<Export>();
  exported->owner = std::move(owner);
  exported->shape.assign(view.shape.begin(), view.shape.end());
  exported->strides = strides_of(view.shape);

  DLManagedTensor& managed = exported->tensor;
  managed.dl_tensor.data = view.data;
  managed.dl_tensor.device.device_type = device.kind == DlpackDevice::Kind::cuda ? kDLCUDA : kDLCPU;
  managed.dl_tensor.device.device_id = device.ordinal;
  managed.dl_tensor.ndim = static_cast<int>(view.shape.size());
  managed.dl_tensor.dtype = {code_of(view.dtype), static_cast<std::uint8_t>(8 * size_of(view.dtype)), 1};
  managed.dl_tensor.shape = exported->shape.data();
  managed.dl_tensor.strides = exported->strides.data();
  managed.manager_ctx = exported.get();
  managed.deleter = [](DLManagedTensor* self) { delete static_cast<Export*>(self->manager_ctx); };
  return &exported.release()->tensor;
}

void delete_dlpack_tensor(DLManagedTensor* tensor) noexcept {
  tensor->deleter(tensor);
}

}  // namespace leat::detail
