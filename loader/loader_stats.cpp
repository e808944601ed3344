#include "leat/loader/loader_stats.h"

namespace leat {

const char* name_of(Bottleneck bottleneck) noexcept {
  switch (bottleneck) {
    case Bottleneck::unknown:
      return "too early to tell";
    case Bottleneck::loader:
      return "loader-bound";
    case Bottleneck::balanced:
      return "balanced";
    case Bottleneck::consumer:
      return "consumer-bound";
  }
  return "unknown";
}

}  // namespace leat
