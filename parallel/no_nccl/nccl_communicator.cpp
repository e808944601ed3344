#include "leat/parallel/nccl_communicator.h"

namespace leat {
namespace {

[[noreturn]] void refuse() {
  throw CommunicationError(
      "built without NCCL: it needs the CUDA backend and nccl.h when leat is configured (LEAT_NCCL=ON says "
      "what is "
      "missing)");
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): the declaration is that of the real one
std::unique_ptr<Communicator> make_nccl_communicator(std::shared_ptr<TcpStore> /*store*/, Device& /*device*/,
                                                     const NcclOptions& /*options*/) {
  refuse();
}

std::unique_ptr<Communicator> make_nccl_communicator(const WorldSettings& /*world*/, Device& /*device*/,
                                                     const NcclOptions& /*options*/) {
  refuse();
}

}  // namespace leat
