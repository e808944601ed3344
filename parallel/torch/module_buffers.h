/// \file
/// The buffers of a module, which are copied from rank 0 to all ranks. Not for programs.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/parallel/communicator.h"

namespace leat::torch::detail {

/// Tensors whose values are those of rank 0 on all ranks.
class ModuleBuffers {
 public:
  /// The communicator outlives the object.
  explicit ModuleBuffers(Communicator& communicator) : communicator_(communicator) {}

  /// Adds a dense tensor on the communicator's device: the tensor itself, because its memory may be replaced when a
  /// checkpoint is loaded.
  void add(const ::at::Tensor& tensor) { tensors_.push_back(tensor); }

  /// Allocates memory for all tensors, one after the other.
  void allocate() { packed_ = communicator_.device().allocate(bytes()); }

  /// Copies the tensors of rank 0 to all ranks, behind the work of `stream`. On the host device, waits until they are
  /// there. Throws ArgumentError if the sizes of tensors have changed; CommunicationError.
  void copy(StreamRef stream) {
    if (tensors_.empty()) return;
    if (bytes() != packed_.size())
      throw ArgumentError("buffers of the module have changed their sizes since it was wrapped");
    copy_each(true, stream);
    communicator_.broadcast({packed_.data(), packed_.size(), DType::u8}, 0, stream);
    copy_each(false, stream);
    if (communicator_.device().kind() == DeviceKind::host) stream.synchronize();
  }

 private:
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const ::at::Tensor& each : tensors_) sum += each.nbytes();
    return sum;
  }

  // Copies the tensors to the packed memory, or back.
  void copy_each(bool packs, StreamRef stream) {
    std::byte* place = packed_.data();
    for (const ::at::Tensor& each : tensors_) {
      void* const memory = each.data_ptr();
      communicator_.device().copy(packs ? place : memory, packs ? memory : place, each.nbytes(), stream);
      place += each.nbytes();
    }
  }

  Communicator& communicator_;
  std::vector<::at::Tensor> tensors_{};
  DeviceBuffer packed_{};
};

}  // namespace leat::torch::detail
