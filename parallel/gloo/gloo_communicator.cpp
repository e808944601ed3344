#include "leat/parallel/gloo_communicator.h"

#include <string>
#include <utility>

#include "leat/parallel/gloo/gloo_engine.h"
#include "leat/parallel/host/host_communicator.h"
#include "leat/parallel/store/next_prefix.h"

namespace leat {

using namespace detail;

std::unique_ptr<Communicator> make_gloo_communicator(std::shared_ptr<TcpStore> store,
                                                     const GlooOptions& options) {
  std::string prefix = next_prefix(*store, options.prefix);
  auto engine = std::make_unique<GlooEngine>(std::move(store), std::move(prefix), options.timeout);
  return std::make_unique<HostCommunicator>(std::move(engine), host_device(), options.timeout);
}

std::unique_ptr<Communicator> make_gloo_communicator(const WorldSettings& world, const GlooOptions& options) {
  auto store = std::make_shared<TcpStore>(world, options.timeout);
  return make_gloo_communicator(std::move(store), options);
}

}  // namespace leat
