#include "leat/loader/slots/committed_pages.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <memory>

#include "leat/datasets/base/memory_limits.h"

namespace leat {

using namespace leat::detail;

namespace {

constexpr std::size_t kBlock = CommittedPages::kBlock;

// A region that begins with the second page of reserved memory.
struct RaggedMemory {
  explicit RaggedMemory(std::size_t bytes)
      : memory("test memory", page_size() + bytes, Pages::reserved),
        taken(std::make_unique<CommittedPages::Word[]>(CommittedPages::words(bytes))) {
    pages.manage(memory, {page_size(), bytes}, taken.get());
  }
  std::span<std::byte> at(std::size_t offset, std::size_t bytes) const {
    return memory.bytes().subspan(page_size() + offset, bytes);
  }

  SharedMemory memory;
  std::unique_ptr<CommittedPages::Word[]> taken;
  CommittedPages pages;
};

TEST_CASE("blocks of ragged memory are taken when a byte of them is asked for, once") {
  RaggedMemory memory(100 * kBlock);
  REQUIRE(memory.pages.take(memory.at(3 * kBlock + 5, 1)));
  CHECK(memory.taken[0] == 1U << 3);
  REQUIRE(memory.pages.take(memory.at(3 * kBlock - 1, kBlock + 2)));
  CHECK(memory.taken[0] == (1U << 2 | 1U << 3 | 1U << 4));
  REQUIRE(memory.pages.take(memory.at(70 * kBlock, kBlock)));
  CHECK(memory.taken[1] == 1U << 6);
  REQUIRE(memory.pages.take(memory.at(50 * kBlock, 0)));
  CHECK(memory.taken[0] == (1U << 2 | 1U << 3 | 1U << 4));
  memory.at(70 * kBlock, kBlock)[kBlock - 1] = std::byte{1};
}

TEST_CASE("the last block of ragged memory may be short") {
  const RaggedMemory memory(kBlock + page_size());
  CommittedPages pages = memory.pages;
  const auto all = memory.at(0, kBlock + page_size());
  REQUIRE(pages.take(all));
  CHECK(memory.taken[0] == 3U);
  all.back() = std::byte{1};
}

TEST_CASE("ragged memory that is refused says so, and goes on with what there is") {
  const std::size_t too_much =
      std::min(available_memory(), std::size_t{1} << 40) / kBlock * kBlock + 4096 * kBlock;
  RaggedMemory memory(too_much);
  CHECK_FALSE(memory.pages.take(memory.at(0, too_much)));
  CHECK(memory.taken[0] == 0U);
  CHECK(memory.pages.take(memory.at(0, 1)));
  CHECK(memory.taken[0] == 1U);
}

}  // namespace
}  // namespace leat
