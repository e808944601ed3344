// Hints that are passed on.
#pragma once

namespace leat::detail {

// Passes a hint on, which may need size(). A dataset that throws there says so in get(): no hint can.
template <class Hint>
void pass_hint(const Hint& hint) noexcept {
  try {
    hint();
  } catch (...) {  // NOLINT(bugprone-empty-catch): on purpose
  }
}

}  // namespace leat::detail
