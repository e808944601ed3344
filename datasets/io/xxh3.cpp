#include "leat/datasets/io/xxh3.h"

#include <algorithm>
#include <vector>

#include "leat/datasets/io/file_reader.h"

// Puts the whole library into this file, so that neither this project nor its users link anything.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <new>

namespace leat::detail {

// Has the alignment that XXH3's state requires.
struct Xxh3Stream::State {
  XXH3_state_t xxh;
};

void Xxh3Stream::Free::operator()(State* state) const noexcept {
  delete state;
}

std::uint64_t xxh3(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Xxh3Stream::Xxh3Stream() : state_(new State) {
  reset();
}
Xxh3Stream::~Xxh3Stream() = default;
Xxh3Stream::Xxh3Stream(Xxh3Stream&&) noexcept = default;
Xxh3Stream& Xxh3Stream::operator=(Xxh3Stream&&) noexcept = default;

void Xxh3Stream::reset() noexcept {
  XXH3_64bits_reset(&state_->xxh);
}

void Xxh3Stream::update(std::span<const std::byte> bytes) noexcept {
  XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size());
}

std::uint64_t Xxh3Stream::digest() const noexcept {
  return XXH3_64bits_digest(&state_->xxh);
}

std::uint64_t checksum_of_file(const std::filesystem::path& path) {
  const FileReader file(path);
  std::vector<std::byte> chunk(std::size_t{1} << 20);
  Xxh3Stream checksum;
  for (std::uint64_t at = 0; at < file.size();) {
    const std::span<std::byte> part(chunk.data(), std::min<std::uint64_t>(chunk.size(), file.size() - at));
    file.read(at, part);
    checksum.update(part);
    at += part.size();
  }
  return checksum.digest();
}

}  // namespace leat::detail
