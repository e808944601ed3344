#include "leat/datasets/formats/beton/beton_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/json_fields.h"

namespace leat::detail {

namespace {

constexpr std::size_t kHead = 24, kNameBytes = 16, kArgumentBytes = 1024;
constexpr std::size_t kFieldBytes = 1 + kNameBytes + kArgumentBytes, kRegionBytes = 24;
constexpr unsigned kMaxFields = 1024;
constexpr std::size_t kMaxDimensions = 32;

struct Layout {
  std::size_t bytes;
  std::size_t alignment;
};

Layout layout_of(BetonType type) {
  switch (type) {
    case BetonType::image:
      return {13, 1};
    case BetonType::bytes:
    case BetonType::json:
      return {16, 1};
    default:
      return {8, 8};
  }
}

constexpr std::array<std::pair<std::string_view, DType>, 12> kNumpyCodes{{{"u1", DType::u8},
                                                                          {"b1", DType::boolean},
                                                                          {"i1", DType::i8},
                                                                          {"u2", DType::u16},
                                                                          {"i2", DType::i16},
                                                                          {"f2", DType::f16},
                                                                          {"u4", DType::u32},
                                                                          {"i4", DType::i32},
                                                                          {"f4", DType::f32},
                                                                          {"u8", DType::u64},
                                                                          {"i8", DType::i64},
                                                                          {"f8", DType::f64}}};

// Reads the dtype from a description such as [["", "<f4"]].
DType dtype_of_descriptor(const nlohmann::json& description, const ByteReader& reader) {
  const bool sound = description.is_array() && description.size() == 1 && description[0].is_array() &&
                     description[0].size() == 2 && description[0][1].is_string();
  const std::string code = sound ? description[0][1].get<std::string>() : std::string();
  for (const auto& [known, dtype] : kNumpyCodes) {
    if (code.size() == 3 && (code[0] == '<' || code[0] == '|') && code.substr(1) == known) return dtype;
  }
  reader.fail(fmt::format("an array of a type that is not read ('{}')", code));
}

// The arguments are: u64 shape[32] that ends at a zero, u64 length of the description, the description.
void read_array_arguments(ByteReader arguments, const std::string& source, BetonField& field) {
  Shape shape;
  std::uint64_t elements = 1;
  bool ended = false;
  for (std::size_t i = 0; i < kMaxDimensions; ++i) {
    const auto extent = arguments.little<std::uint64_t>();
    ended = ended || extent == 0;
    if (ended) continue;
    shape.push_back(extent);
    if (__builtin_mul_overflow(elements, extent, &elements))
      arguments.fail("an array of more than 64 bits of elements");
  }
  const auto length = arguments.little<std::uint64_t>();
  const auto description = parse_json(arguments.text(length), source + ", field '" + field.name + "'");
  const DType dtype = dtype_of_descriptor(description, arguments);
  field.encoding = Encoding::array_of(dtype, std::move(shape));
  if (__builtin_mul_overflow(elements, size_of(dtype), &field.array_bytes))
    arguments.fail("an array of more than 64 bits");
}

BetonField read_field(ByteReader& reader, const std::string& source) {
  const auto type = reader.little<std::uint8_t>();
  const std::string_view name = reader.text(kNameBytes);
  BetonField field{std::string(name.substr(0, name.find('\0'))), static_cast<BetonType>(type)};
  if (type > static_cast<std::uint8_t>(BetonType::tensor)) {
    reader.fail(fmt::format("field '{}' has the type {}, which is not read{}", field.name, type,
                            type == 255 ? ": it is one of somebody's own" : ""));
  }
  ByteReader arguments = reader.sub(kArgumentBytes);
  if (field.type == BetonType::array || field.type == BetonType::tensor) {
    read_array_arguments(arguments, source, field);
  }
  return field;
}

// Computes offsets in the row and the row's length in the way a C compiler lays out a struct.
void lay_out(BetonHeader& header) {
  std::size_t end = 0, widest = 1;
  for (BetonField& field : header.fields) {
    const Layout layout = layout_of(field.type);
    field.offset = (end + layout.alignment - 1) / layout.alignment * layout.alignment;
    end = field.offset + layout.bytes;
    widest = std::max(widest, layout.alignment);
  }
  header.row_bytes = (end + widest - 1) / widest * widest;
}

void check_regions(const BetonHeader& header, const FileReader& file) {
  std::uint64_t end = 0;
  for (const BetonRegion& region : header.regions) {
    if (region.offset < end || region.offset > file.size() || region.size > file.size() - region.offset) {
      throw DataError(
          file.path(),
          fmt::format("the allocation table has a region of {} bytes at offset {}, which overlaps "
                      "another or lies outside of the file",
                      region.size, region.offset));
    }
    end = region.offset + region.size;
  }
}

void read_regions(const FileReader& file, std::uint64_t table, BetonHeader& header) {
  std::vector<std::byte> bytes;
  if (table > file.size() || (file.size() - table) % kRegionBytes != 0) {
    throw DataError(file.path(),
                    fmt::format("the allocation table starts at offset {} of {}: the file is cut off, or "
                                "it was not written to its end",
                                table, file.size()));
  }
  file.read(table, file.size() - table, bytes);
  for (ByteReader reader(bytes, file.path(), table); !reader.at_end();) {
    reader.take(8);  // the sample's number
    header.regions.push_back({reader.little<std::uint64_t>(), reader.little<std::uint64_t>()});
  }
  std::ranges::sort(header.regions, {}, &BetonRegion::offset);
  check_regions(header, file);
}

}  // namespace

BetonHeader read_beton_header(const FileReader& file) {
  std::array<std::byte, kHead> head{};
  file.read(0, head);
  ByteReader reader(head, file.path());
  const unsigned version = reader.little<std::uint16_t>(), fields = reader.little<std::uint16_t>();
  if (version != 2) reader.fail(fmt::format("a .beton file of version {}; 2 is read", version));
  if (fields == 0 || fields > kMaxFields)
    reader.fail(fmt::format("{} fields; 1 to {} are read", fields, kMaxFields));
  reader.take(4);  // the page size, which readers do not need
  BetonHeader header;
  header.samples = reader.little<std::uint64_t>();
  const auto table = reader.little<std::uint64_t>();
  std::vector<std::byte> descriptions;
  file.read(kHead, fields * kFieldBytes, descriptions);
  ByteReader field_reader(descriptions, file.path(), kHead);
  for (unsigned i = 0; i < fields; ++i) header.fields.push_back(read_field(field_reader, file.path()));
  lay_out(header);
  header.rows = kHead + fields * kFieldBytes;
  if (header.row_bytes == 0 || header.samples > (file.size() - header.rows) / header.row_bytes) {
    reader.fail(fmt::format("{} samples, whose rows of {} bytes do not fit into the file", header.samples,
                            header.row_bytes));
  }
  read_regions(file, table, header);
  return header;
}

}  // namespace leat::detail
