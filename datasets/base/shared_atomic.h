// The atomic words that processes share. One name for them, so that the protocol's sources can be compiled a
// second time, against words whose every access is a point where a test may switch to another process or end
// this one (tests/interleaving).
#pragma once

#include <atomic>

namespace leat::detail {

template <class T>
using SharedAtomic = std::atomic<T>;

}  // namespace leat::detail
