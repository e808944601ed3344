// The inflated bytes of a .gz file, front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

// Inflates exactly what is asked for and nothing ahead, so that memory is bounded by the caller's, whatever the file
// claims. One gzip member; its CRC-32 and length are checked by finish(). Not thread-safe.
class GzipReader {
 public:
  explicit GzipReader(const FileReader& file);  // which must outlive it
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Fills `bytes`. Throws DataError that names the file where the stream is damaged or ends before.
  void read(std::span<std::byte> bytes);

  // Throws DataError unless the stream ends here, sound, and the file with it.
  void finish();

 private:
  struct State;

  [[noreturn]] void fail(const char* problem) const;
  void refill();
  bool step();  // false at the end of the stream

  const FileReader* file_;
  std::uint64_t position_ = 0;  // in the file, of what is inflated next but not in the buffer
  std::unique_ptr<State> state_;
};

}  // namespace leat::detail
