#include "leat/transfer/copy_to_host.h"

namespace leat {

void detail::copy_to_host(void* to, const TensorView& view, StreamRef stream) {
  if (const std::size_t bytes = view.bytes(); bytes > 0) stream.device().copy(to, view.data, bytes, stream);
  stream.synchronize();
}

std::vector<std::byte> copy_to_host(const TensorView& view, StreamRef stream) {
  std::vector<std::byte> bytes(view.bytes());
  detail::copy_to_host(bytes.data(), view, stream);
  return bytes;
}

}  // namespace leat
