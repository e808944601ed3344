// A TFRecord file, as it comes and with its checksums put right.
#include <string>

#include "leat/datasets/formats/tfrecord/tfrecord.h"
#include "leat/datasets/formats/tfrecord/tfrecord_index.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/byte_writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_file.h"

namespace {

void put_crc(std::vector<std::byte>& file, std::size_t from, std::size_t count) {
  std::vector<std::byte> crc;
  leat::detail::append_little(crc, leat::detail::masked_crc32c(std::span(file).subspan(from, count)));
  std::copy(crc.begin(), crc.end(), file.begin() + static_cast<std::ptrdiff_t>(from + count));
}

void repair(std::vector<std::byte>& file) {
  for (std::size_t at = 0; file.size() - at >= leat::detail::kTfRecordHead + leat::detail::kTfRecordTail;) {
    const std::size_t most = file.size() - at - leat::detail::kTfRecordHead - leat::detail::kTfRecordTail;
    const auto length = leat::detail::ByteReader(std::span(file).subspan(at), "").little<std::uint64_t>();
    put_crc(file, at, 8);
    if (length > most) return;
    put_crc(file, at + leat::detail::kTfRecordHead, length);
    at += leat::detail::kTfRecordHead + length + leat::detail::kTfRecordTail;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = leat::fuzz::bytes_of(data, size);
  std::vector<std::byte> repaired(bytes.begin(), bytes.end());
  repair(repaired);
  for (const std::span<const std::byte> content : {bytes, std::span<const std::byte>(repaired)}) {
    leat::fuzz::accept_errors([&] {
      const leat::test::MemoryFile file(content);
      leat::fuzz::read_samples(
          leat::detail::TfRecordSource(file.path(), {.index = {.place = leat::IndexPlace::nowhere}}));
    });
  }
  return 0;
}
