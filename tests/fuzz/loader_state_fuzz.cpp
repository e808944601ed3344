// A loader's state, which comes with somebody's checkpoint. What is read is written the same again.
#include "leat/loader/loader_state.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leat::fuzz::accept_errors([&] {
    const auto state = leat::LoaderState::from_json(std::string(leat::fuzz::text_of(data, size)));
    if (leat::LoaderState::from_json(state.to_json()) != state) __builtin_trap();
  });
}
