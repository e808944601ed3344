// What comes out of a file that is compressed as a whole, front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

// Reads a file in parts of 256 KiB, and inflates them. A file may have several members (gzip) or frames (zstd). Not
// thread-safe.
class Inflater {
 public:
  explicit Inflater(const FileReader& file) : file_(&file) {}  // which must outlive it
  virtual ~Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Adds some bytes to `out`, at most 256 KiB; false at the end. Throws DataError where the file is damaged or cut off.
  bool inflate(std::vector<std::byte>& out);

 protected:
  // Takes bytes from `input`, and adds some of what comes out of them. Whether more of it does without further input.
  virtual bool step(std::span<const std::byte>& input, std::vector<std::byte>& out) = 0;
  virtual bool is_within() const = 0;  // a member or frame

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  bool refill();

  const FileReader* file_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> part_;
  std::span<const std::byte> input_;
  bool has_more_ = false;
};

// "gzip" or "zstd" by the file's first bytes; empty for others.
std::string_view compression_of(const FileReader& file);

// One for what compression_of() tells; others are read as they are.
std::unique_ptr<Inflater> make_inflater(const FileReader& file);

// One for zstd, whatever the first bytes are. Its window is bounded by 128 MiB.
std::unique_ptr<Inflater> make_zstd_inflater(const FileReader& file);

}  // namespace leat::detail
