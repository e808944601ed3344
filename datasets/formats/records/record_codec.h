// Records through zstd, each a frame of its own, with a dictionary that all share.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace leat::detail {

struct Compression {
  bool on = false;
  int level = 3;                      // zstd's, 1 to 22
  std::vector<std::byte> dictionary;  // may be empty
};

// What pays for records like these (docs/record-format.md, "Whether to compress"): compares none, zstd, and zstd
// with a dictionary, which is trained on every other body and judged by the rest. A pure function.
Compression measure_compression(std::span<const std::vector<std::byte>> bodies, int level);

// What measure_compression() is to be given: the first records, not more.
inline constexpr std::size_t kMeasuredRecords = 512, kMeasuredBytes = std::size_t{8} << 20;

// Trains a dictionary; empty where there is too little to learn from.
std::vector<std::byte> train_dictionary(std::span<const std::vector<std::byte>> bodies);

// Thread-safe; each thread works in memory of its own. Throws ArgumentError on a level that zstd does not know.
class RecordCompressor {
 public:
  explicit RecordCompressor(const Compression& compression);
  ~RecordCompressor();

  // Replaces `frame`. False where the frame is not shorter than the body.
  bool compress(std::span<const std::byte> body, std::vector<std::byte>& frame) const;

 private:
  struct Dictionary;
  int level_;
  std::unique_ptr<Dictionary> dictionary_;  // null: none
};

// Thread-safe like the compressor.
class RecordDecompressor {
 public:
  explicit RecordDecompressor(std::vector<std::byte> dictionary);  // throws Error on one that is damaged
  ~RecordDecompressor();

  // Fills `body`. Throws Error where the frame is damaged or holds more or less; writes nothing outside of it.
  void decompress(std::span<const std::byte> frame, std::span<std::byte> body) const;

  const std::vector<std::byte>& dictionary() const noexcept { return bytes_; }

 private:
  struct Dictionary;
  std::vector<std::byte> bytes_;
  std::unique_ptr<Dictionary> dictionary_;
};

}  // namespace leat::detail
