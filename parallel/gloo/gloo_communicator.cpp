#include "leat/parallel/gloo_communicator.h"

#include <fmt/format.h>

#include <utility>

#include "leat/parallel/gloo/gloo_engine.h"
#include "leat/parallel/host/host_communicator.h"

namespace leat {

using namespace detail;

std::unique_ptr<Communicator> make_gloo_communicator(std::shared_ptr<TcpStore> store,
                                                     const GlooOptions& options) {
  // Each rank counts the communicators it creates, so that its n-th communicator connects to the n-th of the other
  // ranks.
  const std::int64_t generation =
      store->add(fmt::format("{}/made/{}", options.prefix, store->world().rank), 1);
  auto engine = std::make_unique<GlooEngine>(
      std::move(store), fmt::format("{}/{}", options.prefix, generation), options.timeout);
  return std::make_unique<HostCommunicator>(std::move(engine), host_device(), options.timeout);
}

std::unique_ptr<Communicator> make_gloo_communicator(const WorldSettings& world, const GlooOptions& options) {
  auto store = std::make_shared<TcpStore>(world, options.timeout);
  return make_gloo_communicator(std::move(store), options);
}

}  // namespace leat
