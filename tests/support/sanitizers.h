// Which sanitizers this program runs under.
#pragma once

extern "C" __attribute__((weak)) void
__asan_init();  // NOLINT(bugprone-reserved-identifier): the sanitizer's name

namespace leat::test {

/// AddressSanitizer, and UndefinedBehaviorSanitizer with it (preset asan). To check the type of an object, the latter
/// makes a pipe; without descriptors it reports an object of the wrong type.
inline bool has_address_sanitizer() {
  return __asan_init != nullptr;
}

}  // namespace leat::test
