// Compresses records with zstd. Each record is a frame of its own, and all share a dictionary.
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

// Chooses what pays off for records like these (docs/record-format.md, "Whether to compress"). Compares no
// compression, zstd, and zstd with a dictionary, which is trained on every other body and measured on the rest. A
// pure function.
Compression measure_compression(std::span<const std::vector<std::byte>> bodies, int level);

// The input of measure_compression(): the first records of a set, up to these limits.
inline constexpr std::size_t kMeasuredRecords = 512, kMeasuredBytes = std::size_t{8} << 20;

// Trains a dictionary. Returns an empty one if there is too little to learn from.
std::vector<std::byte> train_dictionary(std::span<const std::vector<std::byte>> bodies);

// Thread-safe; each thread has its own working memory. Throws ArgumentError if zstd does not have the level.
class RecordCompressor {
 public:
  explicit RecordCompressor(const Compression& compression);
  ~RecordCompressor();

  // Replaces `frame`. Returns false if the frame is not shorter than the body.
  bool compress(std::span<const std::byte> body, std::vector<std::byte>& frame) const;

 private:
  struct Dictionary;
  int level_;
  std::unique_ptr<Dictionary> dictionary_;  // null: none
};

// Thread-safe, like the compressor.
class RecordDecompressor {
 public:
  explicit RecordDecompressor(std::vector<std::byte> dictionary);  // throws Error if it is damaged
  ~RecordDecompressor();

  // Fills `body`. Throws Error if the frame is damaged or does not hold exactly that much. Never writes outside
  // `body`.
  void decompress(std::span<const std::byte> frame, std::span<std::byte> body) const;

  const std::vector<std::byte>& dictionary() const noexcept { return bytes_; }

 private:
  struct Dictionary;
  std::vector<std::byte> bytes_;
  std::unique_ptr<Dictionary> dictionary_;
};

}  // namespace leat::detail
