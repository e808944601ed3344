// Atomic variables that processes share. They have a name of their own so that the protocol's sources can be compiled
// a second time, with a type whose every access is a point at which a test may switch to another process or end this
// one (tests/interleaving).
#pragma once

#include <atomic>

namespace leat::detail {

template <class T>
using SharedAtomic = std::atomic<T>;

}  // namespace leat::detail
