// For C libraries that leave on an error by longjmp, which must not cross a C++ object with a destructor: every call of
// such a library stands in a small body of trivial locals that run_guarded() calls; errors are thrown after it has
// returned.
#pragma once

#include <csetjmp>

namespace leat::detail {

// Runs `body`; false if it ended in an error, by a jump to errors.jump. Not inlined: what the body changes lives in the
// caller's frame, in memory, and is not affected by the jump.
template <class Errors, class Body>
[[gnu::noinline]] bool run_guarded(Errors& errors, const Body& body) {
  if (setjmp(errors.jump) != 0) return false;
  body();
  return true;
}

}  // namespace leat::detail
