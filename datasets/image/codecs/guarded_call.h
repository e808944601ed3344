// Calls into C libraries that report errors by longjmp.
//
// The jump must not cross a C++ object with a destructor. Therefore every call of such a library is made in a small
// body with only trivial local variables. run_guarded() runs the body, and errors are thrown after it has returned.
#pragma once

#include <csetjmp>

namespace leat::detail {

// Runs `body`. Returns false if an error ended it, by a jump to errors.jump. This function is not inlined: the
// variables that the body changes are in the caller's frame, in memory, so the jump does not affect them.
template <class Errors, class Body>
[[gnu::noinline]] bool run_guarded(Errors& errors, const Body& body) {
  if (setjmp(errors.jump) != 0) return false;
  body();
  return true;
}

}  // namespace leat::detail
