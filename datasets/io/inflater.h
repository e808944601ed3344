// Inflates a file that is compressed as a whole, from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

// Reads a file in parts of 256 KiB and inflates them. A file may have several members (gzip) or frames (zstd). Not
// thread-safe.
class Inflater {
 public:
  explicit Inflater(const FileReader& file) : file_(&file) {}  // `file` must outlive it
  virtual ~Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Appends bytes to `out`, at most 256 KiB. Returns false at the end. Throws DataError if the file is damaged or cut
  // off.
  bool inflate(std::vector<std::byte>& out);

 protected:
  // Consumes bytes from `input` and appends some of the inflated bytes to `out`. Returns whether more inflated bytes
  // are available without further input.
  virtual bool step(std::span<const std::byte>& input, std::vector<std::byte>& out) = 0;
  virtual bool is_within() const = 0;  // whether a member or frame has begun and not ended

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  bool refill();

  const FileReader* file_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> part_;
  std::span<const std::byte> input_;
  bool has_more_ = false;
};

// Returns "gzip" or "zstd", judging by the file's first bytes; empty for other files.
std::string_view compression_of(const FileReader& file);

// Makes an inflater for the compression that compression_of() returns. Other files are read as they are.
std::unique_ptr<Inflater> make_inflater(const FileReader& file);

// Makes an inflater for zstd, whatever the first bytes are. Its window is bounded by 128 MiB.
std::unique_ptr<Inflater> make_zstd_inflater(const FileReader& file);

}  // namespace leat::detail
