// A TFRecord file, as it comes and with its checksums put right.
#include <string>

#include "leat/datasets/formats/byte_reader.h"
#include "leat/datasets/formats/byte_writer.h"
#include "leat/datasets/formats/tfrecord.h"
#include "leat/datasets/formats/tfrecord_index.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_file.h"

namespace {

void put_crc(std::vector<std::byte>& file, std::size_t from, std::size_t count) {
  std::vector<std::byte> crc;
  leat::append_little(crc, leat::masked_crc32c(std::span(file).subspan(from, count)));
  std::copy(crc.begin(), crc.end(), file.begin() + static_cast<std::ptrdiff_t>(from + count));
}

void repair(std::vector<std::byte>& file) {
  for (std::size_t at = 0; file.size() - at >= leat::kTfRecordHead + leat::kTfRecordTail;) {
    const std::size_t most = file.size() - at - leat::kTfRecordHead - leat::kTfRecordTail;
    const auto length = leat::ByteReader(std::span(file).subspan(at), "").little<std::uint64_t>();
    put_crc(file, at, 8);
    if (length > most) return;
    put_crc(file, at + leat::kTfRecordHead, length);
    at += leat::kTfRecordHead + length + leat::kTfRecordTail;
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
          leat::TfRecordSource(file.path(), {.index = {.place = leat::IndexPlace::nowhere}}));
    });
  }
  return 0;
}
