#include "leat/loader/loader_stats.h"

namespace leat {

const char* name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::too_early:
      return "too early to tell";
    case Verdict::loader_bound:
      return "loader-bound";
    case Verdict::balanced:
      return "balanced";
    case Verdict::consumer_bound:
      return "consumer-bound";
  }
  return "unknown";
}

}  // namespace leat
