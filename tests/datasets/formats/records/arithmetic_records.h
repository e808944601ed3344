// Records whose every byte is arithmetic.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/io/read_file.h"
#include "leat/datasets/record_writer.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// A scalar, a ragged field of pairs, a fixed array behind it, and text.
inline RecordSchema mixed_schema() {
  return RecordSchema(
      {{{"label", DType::i64, {}}, Content::values},
       {Field::ragged("boxes", DType::u16, {.max_length = 1000, .element = {2}}), Content::values},
       {{"point", DType::f32, {3}}, Content::values},
       {Field::text("name", 100), Content::text}});
}

// label i, i % 5 boxes (i, k), the point (i, i + 0.5, -i), the name "sample i".
inline Record mixed_sample(std::size_t i) {
  std::vector<std::uint16_t> boxes;
  for (std::size_t k = 0; k < i % 5; ++k) {
    boxes.push_back(static_cast<std::uint16_t>(i));
    boxes.push_back(static_cast<std::uint16_t>(k));
  }
  const auto x = static_cast<float>(i);
  return {{bytes_of(std::vector{static_cast<std::int64_t>(i)}), bytes_of(boxes),
           bytes_of(std::vector{x, x + 0.5F, -x}), bytes_of("sample " + std::to_string(i))}};
}

inline void write_mixed(const std::filesystem::path& folder, std::size_t samples,
                        const RecordWriterOptions& options = {}) {
  RecordWriter writer(folder, mixed_schema(), options);
  for (std::size_t i = 0; i < samples; ++i) writer.add(mixed_sample(i));
  writer.finish();
}

inline std::string content_of(const std::filesystem::path& path) {
  std::vector<std::byte> bytes;
  read_file(path, std::size_t{1} << 30, bytes);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline void replace_content(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace leat::test
