// TFRecord files and tf.train.Example messages, field by field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leat::test {

// One framed record.
std::string tfrecord(std::string_view data);

// Protocol buffers: a field of bytes, a number without a tag.
std::string wire_bytes(unsigned field, std::string_view value);
std::string varint(std::uint64_t value);

// A feature with its name, as an entry of the map.
std::string bytes_feature(std::string_view name, const std::vector<std::string>& values);
std::string int_feature(std::string_view name, const std::vector<std::int64_t>& values, bool packed = true);
std::string float_feature(std::string_view name, const std::vector<float>& values, bool packed = true);

std::string example(const std::vector<std::string>& features);

}  // namespace leat::test
