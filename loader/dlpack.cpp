#include "leat/loader/dlpack.h"

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <span>
#include <utility>

#include "leat/datasets/base/dlpack_tensor.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

namespace {

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
  delete_dlpack_tensor(tensor);
}

DlpackTensor to_dlpack(std::shared_ptr<const HostBatch> batch, std::string_view field) {
  const TensorView view = require_batch(batch)[field];
  return to_dlpack(std::move(batch), view);
}

DlpackTensor to_dlpack(std::shared_ptr<const HostBatch> batch, const TensorView& view) {
  require_inside(require_batch(batch), view);
  return DlpackTensor(make_dlpack_tensor(view, {}, std::move(batch)));
}

}  // namespace leat
