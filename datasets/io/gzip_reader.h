// Inflates a .gz file from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

// Inflates exactly the bytes that are asked for and none ahead, so that the caller bounds the memory, whatever the
// file claims. Reads one gzip member; finish() checks its CRC-32 and length. Not thread-safe.
class GzipReader {
 public:
  explicit GzipReader(const FileReader& file);  // `file` must outlive it
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Fills `bytes`. Throws DataError naming the file if the stream is damaged or ends too early.
  void read(std::span<std::byte> bytes);

  // Throws DataError unless the stream ends here, is undamaged, and is the end of the file.
  void finish();

 private:
  struct State;

  [[noreturn]] void fail(const char* problem) const;
  void refill();
  bool step();  // false at the end of the stream

  const FileReader* file_;
  std::uint64_t position_ = 0;  // offset in the file of the bytes that the buffer gets next
  std::unique_ptr<State> state_;
};

}  // namespace leat::detail
