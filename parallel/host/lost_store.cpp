#include "leat/parallel/host/lost_store.h"

#include <fmt/format.h>

namespace leat::detail {

Failure lost_store(const TcpStore& store, std::string_view detail) {
  if (const auto server = store.server_rank()) {
    return {.kind = Failure::Kind::peer_lost,
            .ranks = {*server},
            .text = fmt::format("rank {} was lost, and the store with it ({})", *server, detail)};
  }
  return {.kind = Failure::Kind::other,
          .ranks = {},
          .text = fmt::format(
              "the job's rank 0, which is not in this group, was lost, and the store with it ({})", detail)};
}

}  // namespace leat::detail
