#include "leat/datasets/formats/tar/tar_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr std::size_t kPart = std::size_t{1} << 18;  // passed bytes are discarded in parts of this size
constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max() / 2;

}  // namespace

TarStream::TarStream(const FileReader& file)
    : file_(&file), inflater_(make_inflater(file)), size_(kUnknown) {}

// Appends to the buffer. Returns false at the end.
bool TarStream::inflate_more() {
  if (size_ != kUnknown) return false;
  if (head_ >= kPart) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  if (inflater_->inflate(buffer_)) return true;
  size_ = start_ + held();
  return false;
}

// Discards the bytes before `offset`, or all bytes if the archive ends earlier.
void TarStream::pass(std::uint64_t offset) {
  while (offset > start_ + held()) {
    start_ += held();
    buffer_.clear();
    head_ = 0;
    if (!inflate_more()) return;
  }
  head_ += static_cast<std::size_t>(offset - start_);
  start_ = offset;
}

void TarStream::finish() {
  do {
    start_ += held();
    buffer_.clear();
    head_ = 0;
  } while (inflate_more());
}

void TarStream::reach(std::uint64_t end) {
  // Headers are read block by block, so bytes further back are not needed any more.
  constexpr std::uint64_t kKept = 1024;
  if (end > kKept && end - kKept > start_) pass(std::min(end - kKept, size_));
  while (end > start_ + held() && inflate_more()) {
  }
}

void TarStream::read(std::uint64_t offset, std::span<std::byte> bytes) {
  if (offset < start_) throw ArgumentError(fmt::format("{}: a stream cannot go back to {}", path(), offset));
  pass(offset);
  while (held() < bytes.size() && inflate_more()) {
  }
  if (start_ != offset || held() < bytes.size()) {
    throw DataError(path(), fmt::format("it is cut off: {} bytes at offset {} of the archive are not there",
                                        bytes.size(), offset));
  }
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(head_), bytes.size(), bytes.begin());
}

}  // namespace leat::detail
