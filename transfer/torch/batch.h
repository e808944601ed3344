/// \file
/// A batch whose fields are LibTorch's tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/tensor_view.h"
#include "leat/loader/host_batch.h"
#include "leat/loader/ragged_view.h"
#include "leat/torch/dtype.h"
#include "leat/transfer/device.h"
#include "leat/transfer/device_batch.h"

namespace leat::torch {

/// Returns LibTorch's name for a device: the CPU for the host, {kCUDA, ordinal} for a GPU.
inline ::at::Device device_of(const Device& device) {
  if (device.kind() == DeviceKind::host) return ::at::kCPU;
  return {::at::kCUDA, static_cast<::at::DeviceIndex>(device.ordinal())};
}

/// The rows of a ragged field, one after the other. Row r is values.slice(0, offsets[r], offsets[r + 1]).
struct Ragged {
  ::at::Tensor values;   ///< [elements, field shape...]
  ::at::Tensor offsets;  ///< i64 [rows + 1]
};

/// A batch, whose fields are at::Tensors that share its memory. Copies of a Batch are the same batch.
///
/// The batch's memory is filled again when the Batch and all of its tensors are gone; a tensor that is kept keeps the
/// whole batch, and counts as a held batch. Tensors may be destroyed on any thread, and may outlive the Batch and what
/// it came from. Writing to a tensor changes the batch, and nothing else.
///
/// Tensors in device memory belong to the stream that the prefetcher was asked with, DeviceBatch::stream(): make it
/// LibTorch's current stream, which is CUDA's default stream unless told otherwise. It must outlive the tensors.
///
/// One thread at a time uses a Batch, copies included.
class Batch {
 public:
  /// Takes over a batch of a loader.
  explicit Batch(HostBatch batch) : batch_(std::make_shared<const HostBatch>(std::move(batch))) {}
  /// Takes over a batch of a prefetcher. On the host device, waits until the consumer's stream is empty, since
  /// LibTorch's operations on the CPU know no streams. Throws what failed on that stream.
  explicit Batch(DeviceBatch batch) : batch_(std::make_shared<const DeviceBatch>(std::move(batch))) {
    const StreamRef stream = std::get<OnDevice>(batch_)->stream();
    if (stream.device().kind() == DeviceKind::host) stream.synchronize();
  }

  /// Returns the number of rows; the last batch of an epoch may be short.
  std::size_t size() const {
    return visit([](const auto& batch) { return batch.size(); });
  }
  /// Returns the epoch to which the batch belongs.
  std::uint64_t epoch() const {
    return visit([](const auto& batch) { return batch.epoch(); });
  }
  /// Returns the place of the batch in its epoch, from 0.
  std::uint64_t number() const {
    return visit([](const auto& batch) { return batch.number(); });
  }

  /// Returns the dataset's index of each row: i64 [size()], a copy on the CPU.
  ::at::Tensor indices() const {
    const auto indices = visit([](const auto& batch) { return batch.indices(); });
    ::at::Tensor copy = ::at::empty({static_cast<std::int64_t>(indices.size())}, ::at::kLong);
    std::ranges::copy(indices, copy.data_ptr<std::int64_t>());
    return copy;
  }

  /// Returns a field of fixed shape, or the result of a transform: [size(), field shape...]. Throws ArgumentError if
  /// there is no such field, if it is ragged, or if LibTorch has no such dtype.
  ::at::Tensor operator[](std::string_view field) const {
    return wrap(field, visit([&](const auto& batch) { return batch[field]; }));
  }

  /// Returns the rows of a ragged field, on the batch's device. Throws ArgumentError if there is no such field, if its
  /// shape is fixed, or if LibTorch has no such dtype.
  Ragged ragged(std::string_view field) const {
    return {wrap(field, visit([&](const auto& batch) { return batch.ragged_values(field); })),
            wrap(field, visit([&](const auto& batch) { return batch.ragged_offsets(field); }))};
  }

  /// Returns a copy of a ragged field in which all rows are as long as the longest, rounded up to a multiple of
  /// `multiple_of`, with `value` behind each row's own elements: [size(), length, field shape...]. Throws like
  /// ragged(), for a multiple of 0, and for a batch of a prefetcher, which pads on devices (FieldPadding); c10::Error
  /// if `value` is out of the dtype's range.
  ::at::Tensor padded(std::string_view field, const ::at::Scalar& value, std::size_t multiple_of = 1) const {
    const HostBatch& batch = require_host(field);
    const TensorView values = batch.ragged_values(field);
    const auto offsets = batch.ragged_offsets(field).as<const std::int64_t>();
    const std::size_t length =
        leat::detail::round_up_to_multiple(leat::detail::longest_row(offsets), multiple_of);
    const Shape shape =
        leat::detail::padded_shape(batch.schema()[batch.schema().index_of(field)], offsets, length);
    ::at::Tensor padded = ::at::full(sizes_of(shape), value, require_scalar_type(field, values.dtype));
    if (padded.numel() == 0) return padded;
    copy_rows(values, offsets, static_cast<std::byte*>(padded.data_ptr()), length * values.row_bytes());
    return padded;
  }

 private:
  using OnHost = std::shared_ptr<const HostBatch>;  // shared with the tensors
  using OnDevice = std::shared_ptr<const DeviceBatch>;

  static std::vector<std::int64_t> sizes_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

  static void copy_rows(const TensorView& values, std::span<const std::int64_t> offsets, std::byte* to,
                        std::size_t padded_bytes) {
    const auto* const from = static_cast<const std::byte*>(values.data);
    const std::size_t element = values.row_bytes();
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row, to += padded_bytes) {
      const auto first = static_cast<std::size_t>(offsets[row]);
      const auto last = static_cast<std::size_t>(offsets[row + 1]);
      std::memcpy(to, from + first * element, (last - first) * element);
    }
  }

  template <class Use>
  auto visit(const Use& use) const -> decltype(use(std::declval<const HostBatch&>())) {
    return std::visit([&](const auto& batch) { return use(*batch); }, batch_);
  }

  ::at::Device device() const {
    const auto* const on_device = std::get_if<OnDevice>(&batch_);
    return on_device != nullptr ? device_of((*on_device)->stream().device()) : ::at::Device(::at::kCPU);
  }

  const HostBatch& require_host(std::string_view field) const {
    if (const auto* const batch = std::get_if<OnHost>(&batch_)) return **batch;
    throw ArgumentError(
        "field '" + std::string(field) +
        "': only batches of a loader are padded here; let the prefetcher pad those that it brings "
        "to a device (leat::FieldPadding)");
  }

  ::at::Tensor wrap(std::string_view field, const TensorView& view) const {
    const auto options = ::at::TensorOptions().dtype(require_scalar_type(field, view.dtype)).device(device());
    return ::at::for_blob(view.data, sizes_of(view.shape))
        .deleter([keep = batch_](void*) {})
        .options(options)
        .target_device(device())
        .make_tensor();
  }

  std::variant<OnHost, OnDevice> batch_;
};

}  // namespace leat::torch
