#include "leat/parallel/store/next_prefix.h"

#include <fmt/format.h>

namespace leat::detail {

std::string next_prefix(TcpStore& store, const std::string& prefix) {
  return fmt::format("{}/{}", prefix, store.add(fmt::format("{}/made/{}", prefix, store.world().rank), 1));
}

}  // namespace leat::detail
