#include "leat/datasets/formats/beton/beton.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/byte_writer.h"

namespace leat::detail {

BetonSource::BetonSource(const std::filesystem::path& file, BetonOptions options)
    : file_(file), header_(read_beton_header(file_)), options_(options) {}

void BetonSource::read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const {
  check_index(index);
  sample.clear();
  thread_local std::vector<std::byte> row;
  const std::uint64_t offset = header_.rows + index * header_.row_bytes;
  file_.read(offset, header_.row_bytes, row);
  for (const BetonField& field : header_.fields) {
    if (!choice.wants(field.name)) continue;
    read_field(field, ByteReader(std::span(row).subspan(field.offset), file_.path(), offset + field.offset),
               sample);
  }
}

void BetonSource::read_field(const BetonField& field, ByteReader row, StoredSample& sample) const {
  switch (field.type) {
    case BetonType::number:
      append_bytes(sample.add(field.name, Encoding::number_of(DType::f64)).memory(), row.take(8));
      break;
    case BetonType::integer:
      append_bytes(sample.add(field.name, Encoding::number_of(DType::i64)).memory(), row.take(8));
      break;
    case BetonType::image:
      read_image(field, row, sample);
      break;
    case BetonType::bytes:
    case BetonType::json: {
      const bool is_json = field.type == BetonType::json;
      std::vector<std::byte>& value =
          sample.add(field.name, is_json ? Encoding::json : Encoding::bytes).memory();
      const auto offset = row.little<std::uint64_t>();
      read_value(offset, row.little<std::uint64_t>(), row, value);
      if (is_json && !value.empty() && value.back() == std::byte{0}) value.pop_back();
      break;
    }
    case BetonType::array:
    case BetonType::tensor:
      read_value(row.little<std::uint64_t>(), field.array_bytes, row,
                 sample.add(field.name, field.encoding).memory());
      break;
  }
}

void BetonSource::read_image(const BetonField& field, ByteReader row, StoredSample& sample) const {
  constexpr unsigned kJpeg = 0, kPixels = 1;
  const unsigned mode = row.little<std::uint8_t>();
  const int width = row.little<std::uint16_t>(), height = row.little<std::uint16_t>();
  const auto offset = row.little<std::uint64_t>();
  const std::uint64_t bytes = region_bytes(offset, row);
  if (mode == kJpeg) return read_value(offset, bytes, row, sample.add(field.name, Encoding::jpeg).memory());
  if (mode != kPixels)
    row.fail(fmt::format("an image of the mode {}; 0 (JPEG) and 1 (pixels) are read", mode));
  const std::uint64_t wanted =
      std::uint64_t{kChannels} * static_cast<unsigned>(width) * static_cast<unsigned>(height);
  if (bytes != wanted) row.fail(fmt::format("{} x {} pixels in {} bytes", width, height, bytes));
  const auto encoding =
      Encoding::pixels_of(static_cast<std::size_t>(height), static_cast<std::size_t>(width), kChannels);
  read_value(offset, bytes, row, sample.add(field.name, encoding).memory());
}

void BetonSource::read_value(std::uint64_t offset, std::uint64_t bytes, const ByteReader& row,
                             std::vector<std::byte>& value) const {
  if (bytes > options_.max_value_bytes) {
    row.fail(fmt::format("a value of {} bytes, the limit is {}", bytes, options_.max_value_bytes));
  }
  file_.read(offset, bytes, value);
}

// Returns an image's length, which only the allocation table states.
std::uint64_t BetonSource::region_bytes(std::uint64_t offset, const ByteReader& row) const {
  const auto found = std::ranges::lower_bound(header_.regions, offset, {}, &BetonRegion::offset);
  if (found != header_.regions.end() && found->offset == offset) return found->size;
  row.fail(fmt::format("an image at offset {}, where the allocation table has none", offset));
}

std::string BetonSource::describe(std::size_t index) const {
  check_index(index);
  return fmt::format("{}, sample {}", file_.path(), index);
}

}  // namespace leat::detail
