// A reader against every truncation, and against every single wrong byte, of a sound file.
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "leat/datasets/errors.h"
#include "tests/support/memory_file.h"

namespace leat::test {

// `use` opens the path and reads all there is. Each proper prefix of `sound` from `from` bytes on must be a DataError
// that names the file: its path, or `name` where that is given.
template <class Use>
void expect_truncations_refused(std::string_view sound, const Use& use, std::size_t from = 0,
                                const std::string& name = {}) {
  for (std::size_t length = from; length < sound.size(); ++length) {
    const MemoryFile file(sound.substr(0, length));
    std::string text;
    try {
      use(file.path());
    } catch (const DataError& error) {
      text = error.what();
    }
    INFO("the first " << length << " of " << sound.size() << " bytes; said: " << text);
    CHECK(text.find(name.empty() ? file.path().string() : name) != std::string::npos);
  }
}

// Each byte of the first `count`, in turn, takes 0x00, 0x7f, 0x80 and 0xff. What is read may be nonsense, but it ends,
// within memory, in samples or in one of leat's errors. Meant to run under the sanitizers. Returns the errors.
template <class Use>
std::size_t survive_wrong_bytes(std::string_view sound, const Use& use,
                                std::size_t count = std::string_view::npos) {
  std::size_t refused = 0;
  for (std::size_t at = 0; at < sound.size() && at < count; ++at) {
    for (const int value : {0x00, 0x7f, 0x80, 0xff}) {
      std::string changed(sound);
      changed[at] = static_cast<char>(value);
      try {
        use(MemoryFile(changed).path());
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  return refused;
}

}  // namespace leat::test
