// An IDX file, plain or compressed.
#include "leat/datasets/formats/arrays/idx.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leat::fuzz::accept_errors([&] {
    const leat::test::MemoryFile file(leat::fuzz::bytes_of(data, size));
    leat::detail::read_idx(file.path(), 1 << 24);
  });
}
