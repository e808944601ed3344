#include "leat/parallel/nccl_communicator.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "leat/parallel/nccl/failure_exchange.h"
#include "leat/parallel/nccl/nccl_communicator_impl.h"
#include "leat/parallel/store/next_prefix.h"

namespace leat {

using namespace detail;

std::unique_ptr<Communicator> make_nccl_communicator(std::shared_ptr<TcpStore> store, Device& device,
                                                     const NcclOptions& options) {
  if (device.kind() != DeviceKind::cuda) {
    throw ArgumentError(fmt::format("NCCL joins CUDA devices, not {}; use Gloo between CPUs", device.name()));
  }
  for (const auto limit : {options.timeout, options.collective_timeout}) {
    if (limit.count() > 0) continue;
    const std::string text =
        fmt::format("a limit of an NCCL communicator is {} ms; it must be above 0", limit.count());
    // The other ranks would wait for this one.
    FailureExchange(*store, next_prefix(*store, options.prefix))
        .announce({.kind = Failure::Kind::other, .ranks = {}, .text = text});
    throw ArgumentError(text);
  }
  return std::make_unique<NcclCommunicator>(nccl_library(), std::move(store), device, options);
}

std::unique_ptr<Communicator> make_nccl_communicator(const WorldSettings& world, Device& device,
                                                     const NcclOptions& options) {
  auto store = std::make_shared<TcpStore>(world, options.timeout);
  return make_nccl_communicator(std::move(store), device, options);
}

}  // namespace leat
