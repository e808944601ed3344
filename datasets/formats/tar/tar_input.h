// Gives TarScanner the bytes of a tar archive: from a file, or from a stream that is inflated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/io/file_reader.h"
#include "leat/datasets/io/inflater.h"

namespace leat::detail {

class TarInput {
 public:
  virtual ~TarInput() = default;

  virtual const std::string& path() const = 0;
  /// Returns the archive's length in bytes. For a stream, returns more than any archive has, until its end is
  /// reached.
  virtual std::uint64_t size() const = 0;
  /// Reads ahead up to `end`, so that size() is correct if the archive ends before.
  virtual void reach(std::uint64_t end) = 0;
  /// Fills `bytes` from `offset` on. A stream only goes forward. Throws DataError if the archive does not hold the
  /// bytes.
  virtual void read(std::uint64_t offset, std::span<std::byte> bytes) = 0;

 protected:
  TarInput() = default;
  TarInput(const TarInput&) = default;
  TarInput& operator=(const TarInput&) = default;
};

class TarFile final : public TarInput {
 public:
  explicit TarFile(const FileReader& file) : file_(&file) {}  // `file` must outlive it

  const std::string& path() const override { return file_->path(); }
  std::uint64_t size() const override { return file_->size(); }
  void reach(std::uint64_t) override {}
  void read(std::uint64_t offset, std::span<std::byte> bytes) override { file_->read(offset, bytes); }

 private:
  const FileReader* file_;
};

/// A .tar.gz or .tar.zst, of one or more members or frames, or a plain .tar, read from front to back. The first bytes
/// tell which. Memory: the bytes that are asked for at once, 256 KiB of the file, and zstd's window, which is bounded
/// by 128 MiB. Not thread-safe.
class TarStream final : public TarInput {
 public:
  explicit TarStream(const FileReader& file);  // `file` must outlive it

  const std::string& path() const override { return file_->path(); }
  std::uint64_t size() const override { return size_; }
  void reach(std::uint64_t end) override;
  /// Throws ArgumentError if the stream has passed the bytes already.
  void read(std::uint64_t offset, std::span<std::byte> bytes) override;

  /// Inflates the rest, so that its checksum is compared. Throws DataError if the checksum is wrong, or the file is
  /// cut off.
  void finish();

  std::uint64_t passed() const noexcept { return start_; }  // bytes that can no longer be read

 private:
  std::size_t held() const noexcept { return buffer_.size() - head_; }
  void pass(std::uint64_t offset);
  bool inflate_more();

  const FileReader* file_;
  std::unique_ptr<Inflater> inflater_;
  std::vector<std::byte> buffer_;  // inflated bytes; the byte at head_ has the offset start_
  std::size_t head_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t size_;
};

}  // namespace leat::detail
