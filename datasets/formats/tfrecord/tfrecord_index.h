// Finds the records of a TFRecord file.
//
// Record: u64 length, u32 masked CRC-32C of these eight bytes, the data, u32 masked CRC-32C of the data;
// little-endian.
// The mask of c is (c rotated right by 15) + 0xa282ead8, modulo 2^32.
// Source: TensorFlow, "TFRecord and tf.train.Example" and core/lib/io/record_writer.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

constexpr std::uint64_t kTfRecordHead = 12, kTfRecordTail = 4;  // framing, in bytes

std::uint32_t masked_crc32c(std::span<const std::byte> bytes) noexcept;

// Reads the head of every record and checks its CRC. Returns the offset and the length of each record's data, as two
// u64. Throws DataError naming the record and its offset if a CRC is wrong or the file is cut off.
std::vector<std::byte> scan_tfrecord(const FileReader& file);

}  // namespace leat::detail
