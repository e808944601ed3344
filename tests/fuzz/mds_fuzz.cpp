// An MDS dataset of one shard: a u16 length and so much of index.json, then s.mds, which is s.mds.zstd as well.
#include "leat/datasets/formats/mds/mds.h"
#include "leat/datasets/io/byte_reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_file.h"
#include "tests/support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;

void link(const fs::path& name, const fs::path& file) {
  fs::remove(name);
  fs::create_symlink(file, name);
}

void read_dataset(leat::detail::ByteReader input) {
  static const leat::test::TemporaryFolder folder;
  const std::size_t length = input.little<std::uint16_t>();
  const leat::test::MemoryFile index(input.take(length)), shard(input.take(input.remaining()));
  link(folder / "index.json", index.path());
  link(folder / "s.mds", shard.path());
  link(folder / "s.mds.zstd", shard.path());
  const fs::path cache = folder / "cache";
  leat::fuzz::read_samples(leat::detail::MdsSource(folder.path(), {cache}));
  fs::remove_all(cache);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leat::fuzz::accept_errors(
      [&] { read_dataset(leat::detail::ByteReader(leat::fuzz::bytes_of(data, size), "input")); });
}
