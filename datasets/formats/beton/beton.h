// FFCV's .beton files, version 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/formats/beton/beton_header.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/sample_source.h"

namespace leat::detail {

struct BetonOptions {
  std::uint64_t max_value_bytes = std::uint64_t{1} << 30;  // of one field of one sample
};

// Fields have the file's names and order. Encodings: float64, int, bytes, json (without its zero byte), ndarray with
// dtype and shape; images are jpeg, or pil (RGB) if they are stored as pixels. A sample costs one pread for its row
// and one for each field of data. Memory: 16 bytes per region.
class BetonSource final : public SampleSource {
 public:
  // Throws what read_beton_header() throws.
  explicit BetonSource(const std::filesystem::path& file, BetonOptions options = {});

  std::size_t size() const override { return static_cast<std::size_t>(header_.samples); }
  void read(std::size_t index, const FieldChoice& choice, StoredSample& sample) const override;
  std::string describe(std::size_t index) const override;

 private:
  void read_field(const BetonField& field, ByteReader row, StoredSample& sample) const;
  void read_image(const BetonField& field, ByteReader row, StoredSample& sample) const;
  void read_value(std::uint64_t offset, std::uint64_t bytes, const ByteReader& row,
                  std::vector<std::byte>& value) const;
  std::uint64_t region_bytes(std::uint64_t offset, const ByteReader& row) const;

  FileReader file_;
  BetonHeader header_;
  BetonOptions options_;
};

}  // namespace leat::detail
