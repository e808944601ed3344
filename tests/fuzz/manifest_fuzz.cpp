// A CSV manifest. No file that it names is opened: names are all that is read.
#include "leat/datasets/formats/csv/manifest.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leat::fuzz::accept_errors([&] {
    const leat::test::MemoryFile file(leat::fuzz::bytes_of(data, size));
    const leat::detail::ManifestSource source(file.path());
    leat::StoredSample sample;
    for (std::size_t i = 0; i < source.size(); ++i) {
      source.describe(i);
      source.read(i, leat::FieldChoice({"label"}), sample);
      const std::int64_t label = leat::integer_of(sample.fields()[0]);
      const auto classes = static_cast<std::int64_t>(source.classes().size());
      if (classes > 0 && (label < 0 || label >= classes)) __builtin_trap();
    }
  });
}
