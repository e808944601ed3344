// The kept index of a tar shard.
#include "leat/datasets/formats/tar/tar_index.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  leat::detail::TarIndex index;
  leat::fuzz::accept_errors([&] { index.add_shard(leat::fuzz::bytes_of(data, size), 1 << 20, "index"); });
  for (std::size_t i = 0; i < index.size(); ++i) {
    leat::detail::split_member_name(index.key(i));
    for (const auto& member : index.members(i)) {
      if (member.offset + member.size > 1 << 20 || index.shard_of(i) != 0) __builtin_trap();
      index.suffix(member);
    }
  }
  return 0;
}
