#include "leat/datasets/formats/tfrecord/tfrecord_index.h"

#include <fmt/format.h>

#include <array>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/byte_writer.h"
#include "leat/datasets/io/crc32c.h"

namespace leat::detail {

std::uint32_t masked_crc32c(std::span<const std::byte> bytes) noexcept {
  const std::uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8;
}

std::vector<std::byte> scan_tfrecord(const FileReader& file) {
  std::vector<std::byte> records;
  std::uint64_t position = 0, count = 0;
  const auto fail = [&](const char* problem) {
    throw DataError(file.path(), fmt::format("record {} at offset {}: {}", count, position, problem));
  };
  while (position < file.size()) {
    const std::uint64_t left = file.size() - position;
    if (left < kTfRecordHead + kTfRecordTail) fail("the file is cut off in its framing");
    std::array<std::byte, kTfRecordHead> head{};
    file.read(position, head);
    ByteReader reader(head, file.path(), position);
    const auto length = reader.little<std::uint64_t>();
    if (reader.little<std::uint32_t>() != masked_crc32c(std::span(head).first(8))) {
      fail(count == 0 && position == 0
               ? "the length's checksum is wrong: it is damaged, compressed as a whole, or no TFRecord file"
               : "the length's checksum is wrong");
    }
    if (length > left - kTfRecordHead - kTfRecordTail) fail("the file is cut off in its data");
    append_little(records, position + kTfRecordHead);
    append_little(records, length);
    position += kTfRecordHead + length + kTfRecordTail;
    ++count;
  }
  return records;
}

}  // namespace leat::detail
