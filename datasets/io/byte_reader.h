// A cursor over bytes that came from a file. Every step is checked against the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace leat::detail {

// A view: the bytes and the source's name must outlive it. A read beyond the end throws DataError naming the source,
// the offset in the file, and what was expected there.
class ByteReader {
 public:
  // `base` is the offset in the file at which `bytes` starts; it appears in messages only.
  ByteReader(std::span<const std::byte> bytes, std::string_view source, std::uint64_t base = 0) noexcept
      : bytes_(bytes), source_(source), base_(base) {}

  std::size_t remaining() const noexcept { return bytes_.size() - position_; }
  bool at_end() const noexcept { return remaining() == 0; }
  std::uint64_t offset() const noexcept { return base_ + position_; }  // in the file

  template <class T>
  T little() {
    static_assert(std::is_integral_v<T>);
    std::make_unsigned_t<T> value = 0;
    const auto bytes = take(sizeof(T));
    for (std::size_t i = sizeof(T); i-- > 0;) {
      value = static_cast<std::make_unsigned_t<T>>((std::uint64_t{value} << 8) |
                                                   std::to_integer<std::uint64_t>(bytes[i]));
    }
    return static_cast<T>(value);
  }
  template <class T>
  T big() {
    static_assert(std::is_integral_v<T>);
    std::make_unsigned_t<T> value = 0;
    for (const std::byte byte : take(sizeof(T))) {
      value = static_cast<std::make_unsigned_t<T>>((std::uint64_t{value} << 8) |
                                                   std::to_integer<std::uint64_t>(byte));
    }
    return static_cast<T>(value);
  }

  std::span<const std::byte> take(std::uint64_t count) {
    if (count > remaining()) fail_short(count);
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += taken.size();
    return taken;
  }
  std::string_view text(std::uint64_t count) {
    const auto taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  // Returns a reader of the next `count` bytes alone.
  ByteReader sub(std::uint64_t count) {
    const std::uint64_t start = offset();
    return {take(count), source_, start};
  }

  std::string_view source() const noexcept { return source_; }
  // Throws DataError with the text "<source>: at offset <offset>: <problem>".
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  [[noreturn]] void fail_short(std::uint64_t wanted) const;

  std::span<const std::byte> bytes_;
  std::string_view source_;
  std::uint64_t base_;
  std::size_t position_ = 0;
};

}  // namespace leat::detail
