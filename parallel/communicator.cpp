#include "leat/parallel/communicator.h"

#include "leat/parallel/host/private_memory.h"

namespace leat {

CommunicationBuffer Communicator::allocate(std::size_t bytes) {
  return detail::private_memory(bytes, device());
}

}  // namespace leat
