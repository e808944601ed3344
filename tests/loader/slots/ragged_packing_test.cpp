#include "leat/loader/slots/ragged_packing.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstring>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/sample_writer.h"
#include "leat/loader/engine/bad_sample_log.h"
#include "tests/support/expect_error.h"

namespace leat {

using namespace leat::detail;

namespace {

constexpr std::size_t kRows = 13, kMaxLength = 5;

// A slot of one ragged field of pairs: row r has lengths[r] of them, all of value r.
struct Slot {
  BatchLayout layout{Schema({Field::ragged("x", DType::u16, {.max_length = kMaxLength, .element = {2}})}),
                     kRows};
  std::vector<std::byte> memory = std::vector<std::byte>(layout.bytes(), std::byte{0xee});
  std::vector<std::byte*> columns = layout.columns(memory.data());

  void write(std::size_t row, std::size_t first_row, std::size_t length, std::uint16_t value) {
    SampleWriter out(layout.schema(), columns, row, first_row);
    std::ranges::fill(out.ragged<std::uint16_t>(0, length), value);
  }
  void write_chunk(std::size_t first, std::size_t last, const std::vector<std::size_t>& lengths) {
    for (std::size_t row = first; row < last; ++row) {
      write(row, first, lengths[row], static_cast<std::uint16_t>(row));
    }
  }
  void pack(std::size_t rows, std::size_t rows_per_chunk) {
    pack_ragged_fields(layout, memory.data(), rows, rows_per_chunk);
  }
  std::vector<std::uint16_t> values(std::size_t rows) {
    const auto values = layout.ragged_values(0, memory.data(), rows).as<std::uint16_t>();
    return {values.begin(), values.end()};
  }
  std::vector<std::int64_t> offsets(std::size_t rows) {
    const auto offsets = layout.row_offsets(0, memory.data()).first(rows + 1);
    return {offsets.begin(), offsets.end()};
  }
};

std::vector<std::uint16_t> expected_values(const std::vector<std::size_t>& lengths) {
  std::vector<std::uint16_t> values;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    values.insert(values.end(), 2 * lengths[row], static_cast<std::uint16_t>(row));
  }
  return values;
}

std::vector<std::int64_t> expected_offsets(const std::vector<std::size_t>& lengths) {
  std::vector<std::int64_t> offsets{0};
  for (const std::size_t length : lengths)
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(length));
  return offsets;
}

TEST_CASE("packed rows do not tell how they were cut into chunks, nor in which order those were loaded") {
  constexpr std::uint64_t kSeed = 5;
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    Rng rng(kSeed, 0, trial);
    std::vector<std::size_t> lengths(1 + rng() % kRows);
    for (std::size_t& length : lengths) length = trial == 0 ? kMaxLength : rng() % (kMaxLength + 1);
    const std::size_t rows = lengths.size();
    for (std::size_t rows_per_chunk = 1; rows_per_chunk <= kRows; ++rows_per_chunk) {
      INFO("seed " << kSeed << ", trial " << trial << ", rows " << rows << ", " << rows_per_chunk
                   << " per chunk");
      Slot slot;
      for (std::size_t chunk = (rows + rows_per_chunk - 1) / rows_per_chunk;
           chunk-- > 0;) {  // the last chunk first
        slot.write_chunk(chunk * rows_per_chunk, std::min((chunk + 1) * rows_per_chunk, rows), lengths);
      }
      slot.pack(rows, rows_per_chunk);
      CHECK(slot.offsets(rows) == expected_offsets(lengths));
      CHECK(slot.values(rows) == expected_values(lengths));
    }
  }
}

TEST_CASE("a chunk that was left at any row is taken up there by somebody who knows nothing of it") {
  const std::vector<std::size_t> lengths{2, 0, 5, 1, 3, 4};
  for (std::size_t left_at = 0; left_at < lengths.size(); ++left_at) {
    for (const std::size_t stale_length : {std::size_t{0}, kMaxLength}) {
      INFO("left at row " << left_at << ", which claimed length " << stale_length);
      Slot slot;
      slot.write_chunk(0, left_at, lengths);
      slot.write(left_at, 0, stale_length, 0xdead);
      for (std::size_t row = left_at; row < lengths.size(); ++row) {
        slot.write(row, 0, lengths[row], static_cast<std::uint16_t>(row));
      }
      slot.pack(lengths.size(), kRows);
      CHECK(slot.offsets(lengths.size()) == expected_offsets(lengths));
      CHECK(slot.values(lengths.size()) == expected_values(lengths));
    }
  }
}

TEST_CASE("a row that is left out is empty, whatever was written for it, and rows go on behind it") {
  for (const std::size_t bad : {std::size_t{0}, std::size_t{2}, std::size_t{5}}) {
    for (const bool written : {false, true}) {
      INFO("row " << bad << (written ? ", written" : ""));
      std::vector<std::size_t> lengths{2, 0, 5, 1, 3, 4};
      Slot slot;
      slot.write_chunk(0, bad, lengths);
      if (written) slot.write(bad, 0, kMaxLength, 0xdead);
      empty_ragged_row(slot.layout, slot.memory.data(), 0, bad);
      for (std::size_t row = bad + 1; row < lengths.size(); ++row) {
        slot.write(row, 0, lengths[row], static_cast<std::uint16_t>(row));
      }
      lengths[bad] = 0;
      slot.pack(lengths.size(), kRows);
      CHECK(slot.offsets(lengths.size()) == expected_offsets(lengths));
      CHECK(slot.values(lengths.size()) == expected_values(lengths));
    }
  }
}

TEST_CASE("offsets outside of their chunk are an error, and move nothing out of the slot") {
  const std::vector<std::size_t> lengths{1, 2, 3, 4};
  for (const std::int64_t wrong :
       {std::int64_t{-1}, std::int64_t{1} << 62, std::int64_t{12}, std::int64_t{19}}) {
    Slot slot;
    slot.write_chunk(0, 2, lengths);
    slot.write_chunk(2, 4, lengths);
    slot.layout.row_offsets(0, slot.memory.data())[4] = wrong;  // 17 is right: 2 * 5 + 3 + 4
    test::expect_error<Error>([&] { slot.pack(4, 2); }, {"'x'", "row 3"});
  }
}

TEST_CASE("a ragged field has room for all rows at their greatest length, and for one offset more") {
  const BatchLayout layout(Schema({Field::text("t", 100), {"label", DType::i64, {}}}), 64);
  CHECK(layout.offset(0) == 0);
  std::byte base{};
  const auto offsets = layout.row_offsets(0, &base);
  CHECK(offsets.size() == 65);
  CHECK(reinterpret_cast<std::byte*>(offsets.data()) - &base == 6400);
  CHECK(layout.offset(1) == 6400 + 768);  // 65 * 8 bytes, rounded up
  CHECK(layout.columns(&base).size() == 3);
  test::expect_error<ArgumentError>([&] { layout.view(0, &base, 1); }, {"'t'", "ragged"});
  test::expect_error<ArgumentError>([&] { layout.row_offsets(1, &base); }, {"'label'", "fixed shape"});
}

// Notes what was asked for; refuses what lies behind the first `limit` bytes from `begin` on.
class AskedMemory final : public RowMemory {
 public:
  AskedMemory(const std::byte* begin, std::size_t limit) : begin_(begin), limit_(limit) {}
  bool take(std::span<const std::byte> bytes) override {
    const auto end = static_cast<std::size_t>(bytes.data() + bytes.size() - begin_);
    asked_ = std::max(asked_, end);
    return end <= limit_;
  }
  std::size_t asked() const { return asked_; }

 private:
  const std::byte* begin_;
  std::size_t limit_, asked_ = 0;
};

TEST_CASE("memory is taken before rows are moved there, and its refusal is an error") {
  constexpr std::size_t kElement = 4;  // bytes
  // Two chunks of two rows: the second chunk moves from row 2's place to behind row 1's end.
  const auto pack_with = [&](std::size_t limit) {
    Slot slot;
    slot.write_chunk(0, 2, {4, 3, 5, 5});
    slot.write_chunk(2, 4, {4, 3, 5, 5});
    AskedMemory memory(slot.columns[0], limit);
    pack_ragged_fields(slot.layout, slot.memory.data(), 4, 2, &memory);
    CHECK(slot.values(4) == expected_values({4, 3, 5, 5}));
    return memory.asked();
  };
  const std::size_t needed = (4 + 3 + 5 + 5) * kElement;
  CHECK(pack_with(1000) == needed);
  CHECK(pack_with(needed) == needed);
  test::expect_error<MemoryError>([&] { pack_with(needed - 1); }, {"'x'"});
}

TEST_CASE("memory is taken before a longer row stands in for a bad one, and its refusal is an error") {
  constexpr std::size_t kElement = 4, kNeeded = (4 + 4 + 5 + 5) * kElement;  // bytes
  const auto substitute_with = [&](std::size_t limit) {
    Slot slot;
    slot.write_chunk(0, 4, {4, 0, 5, 5});
    slot.pack(4, 4);
    AskedMemory memory(slot.columns[0], limit);
    std::vector<std::uint64_t> indices{0, 1, 2, 3};
    substitute_rows(slot.layout, slot.memory.data(), indices, std::vector<std::uint32_t>{1}, &memory);
    CHECK(indices == std::vector<std::uint64_t>{0, 0, 2, 3});
    CHECK(slot.offsets(4) == expected_offsets({4, 4, 5, 5}));
    return memory.asked();
  };
  CHECK(substitute_with(1000) == kNeeded);
  CHECK(substitute_with(kNeeded) == kNeeded);
  test::expect_error<MemoryError>([&] { substitute_with(kNeeded - 1); }, {"'x'"});
}

}  // namespace
}  // namespace leat
