#include "leat/loader/os/stack_trace.h"

#include <execinfo.h>

#include <algorithm>

#include "leat/loader/os/futex.h"

namespace leat::detail {

namespace {

constexpr int kFramesOfHandlers = 4;  // at most, before the interrupted call

using Addresses = std::array<void*, StackTrace::kMost + kFramesOfHandlers>;

}  // namespace

void prepare_stack_traces() {
  Addresses addresses;
  ::backtrace(addresses.data(), static_cast<int>(addresses.size()));  // loads the unwinder
}

void note_stack(StackTrace& trace, const void* behind) noexcept {
  Addresses addresses;
  const auto count =
      static_cast<std::size_t>(::backtrace(addresses.data(), static_cast<int>(addresses.size())));
  std::size_t first = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, kFramesOfHandlers); ++i) {
    if (addresses[i] == behind) first = i + 1;
  }
  trace.count = 0;
  for (std::size_t i = first; i < count && trace.count < StackTrace::kMost; ++i) {
    const auto address = reinterpret_cast<std::uint64_t>(addresses[i]);
    if (address == trace.base) break;
    trace.addresses[trace.count++] = address;
  }
  trace.noted.fetch_add(1);
  futex_wake_all(trace.noted);
}

}  // namespace leat::detail
