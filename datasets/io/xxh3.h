// XXH3, the 64-bit variant with seed 0 (xxHash 0.8.0 and later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace leat::detail {

std::uint64_t xxh3(std::span<const std::byte> bytes) noexcept;

// Returns the checksum of a whole regular file. Throws DataError and SystemError like FileReader.
std::uint64_t checksum_of_file(const std::filesystem::path& path);

// The checksum of bytes that come in pieces. Movable, not thread-safe.
class Xxh3Stream {
 public:
  Xxh3Stream();
  ~Xxh3Stream();
  Xxh3Stream(Xxh3Stream&&) noexcept;
  Xxh3Stream& operator=(Xxh3Stream&&) noexcept;

  void reset() noexcept;
  void update(std::span<const std::byte> bytes) noexcept;
  std::uint64_t digest() const noexcept;

 private:
  struct State;
  struct Free {
    void operator()(State* state) const noexcept;
  };
  std::unique_ptr<State, Free> state_;
};

}  // namespace leat::detail
