#include "leat/loader/slots/arena_pages.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <memory>

#include "leat/datasets/base/memory_limits.h"

namespace leat {

using namespace leat::detail;

namespace {

constexpr std::size_t kChunk = ArenaPages::kChunk;

// A region that begins with the second page of reserved memory.
struct Arena {
  explicit Arena(std::size_t bytes)
      : memory("test memory", page_size() + bytes, Pages::reserved),
        taken(std::make_unique<ArenaPages::Word[]>(ArenaPages::words(bytes))) {
    pages.manage(memory, {page_size(), bytes}, taken.get());
  }
  std::span<std::byte> at(std::size_t offset, std::size_t bytes) const {
    return memory.bytes().subspan(page_size() + offset, bytes);
  }

  SharedMemory memory;
  std::unique_ptr<ArenaPages::Word[]> taken;
  ArenaPages pages;
};

TEST_CASE("chunks of an arena are taken when a byte of them is asked for, once") {
  Arena arena(100 * kChunk);
  REQUIRE(arena.pages.take(arena.at(3 * kChunk + 5, 1)));
  CHECK(arena.taken[0] == 1U << 3);
  REQUIRE(arena.pages.take(arena.at(3 * kChunk - 1, kChunk + 2)));
  CHECK(arena.taken[0] == (1U << 2 | 1U << 3 | 1U << 4));
  REQUIRE(arena.pages.take(arena.at(70 * kChunk, kChunk)));
  CHECK(arena.taken[1] == 1U << 6);
  REQUIRE(arena.pages.take(arena.at(50 * kChunk, 0)));
  CHECK(arena.taken[0] == (1U << 2 | 1U << 3 | 1U << 4));
  arena.at(70 * kChunk, kChunk)[kChunk - 1] = std::byte{1};
}

TEST_CASE("the last chunk of an arena may be short") {
  const Arena arena(kChunk + page_size());
  ArenaPages pages = arena.pages;
  const auto all = arena.at(0, kChunk + page_size());
  REQUIRE(pages.take(all));
  CHECK(arena.taken[0] == 3U);
  all.back() = std::byte{1};
}

TEST_CASE("an arena whose memory is refused says so, and goes on with what there is") {
  const std::size_t too_much =
      std::min(available_memory(), std::size_t{1} << 40) / kChunk * kChunk + 4096 * kChunk;
  Arena arena(too_much);
  CHECK_FALSE(arena.pages.take(arena.at(0, too_much)));
  CHECK(arena.taken[0] == 0U);
  CHECK(arena.pages.take(arena.at(0, 1)));
  CHECK(arena.taken[0] == 1U);
}

}  // namespace
}  // namespace leat
