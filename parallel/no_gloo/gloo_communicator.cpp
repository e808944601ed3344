#include "leat/parallel/gloo_communicator.h"

namespace leat {
namespace {

[[noreturn]] void refuse() {
  throw CommunicationError(
      "built without Gloo: install libgloo-dev and configure again, or use a local group (replicas of one "
      "process)");
}

}  // namespace

std::unique_ptr<Communicator> make_gloo_communicator(std::shared_ptr<TcpStore> /*store*/,
                                                     const GlooOptions& /*options*/) {
  refuse();
}

std::unique_ptr<Communicator> make_gloo_communicator(const WorldSettings& /*world*/,
                                                     const GlooOptions& /*options*/) {
  refuse();
}

}  // namespace leat
