#include "leat/loader/os/cpu_restriction.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "leat/loader/os/cpus.h"

namespace leat::detail {

void CpuRestriction::apply() noexcept {
  if (cpus_.empty()) return;
  try {
    std::vector<int> before = affinity_mask(), now;
    std::ranges::set_intersection(before, cpus_, std::back_inserter(now));
    if (now.empty() || now == before) return;
    set_affinity(now);
    before_ = std::move(before);
    now_ = std::move(now);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
    // The thread's CPUs stay as they are.
  }
}

void CpuRestriction::lift() noexcept {
  if (before_.empty()) return;
  try {
    if (affinity_mask() == now_) set_affinity(before_);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): on purpose
    // The thread's CPUs stay as they are.
  }
  before_.clear();
}

}  // namespace leat::detail
