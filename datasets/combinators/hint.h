// Passes hints on from one dataset to another.
#pragma once

namespace leat::detail {

// Calls `hint`, which may need size(), and ignores what it throws. A hint cannot report errors; get() reports them.
template <class Hint>
void pass_hint(const Hint& hint) noexcept {
  try {
    hint();
  } catch (...) {  // NOLINT(bugprone-empty-catch): on purpose
  }
}

}  // namespace leat::detail
