#include "leat/parallel/host/private_memory.h"

#include <memory>
#include <utility>

namespace leat::detail {

CommunicationBuffer private_memory(std::size_t bytes, Device& device) {
  auto memory = std::make_shared<DeviceBuffer>(device.allocate(bytes));
  std::byte* const data = memory->data();
  return {data, bytes, std::move(memory)};
}

}  // namespace leat::detail
