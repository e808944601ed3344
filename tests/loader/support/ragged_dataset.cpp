#include "tests/loader/support/ragged_dataset.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <utility>

namespace leat::test {

RaggedDataset::RaggedDataset(std::size_t size, std::function<std::size_t(std::size_t)> tokens)
    : size_(size),
      tokens_(std::move(tokens)),
      schema_({Field::ragged("tokens", DType::i32, {.max_length = kMaxTokens}),
               {"label", DType::i64, {}},
               Field::ragged("boxes.corners", DType::f32, {.max_length = 2, .element = {4}}),
               Field::text("caption", 24),
               Field::ragged("noise", DType::u32, {.max_length = 6})}) {}

std::string RaggedDataset::caption(std::size_t index) {
  return index % 5 == 0 ? "" : "sample " + std::to_string(index);
}

void RaggedDataset::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  auto token = static_cast<std::int32_t>(100 * index);
  for (std::int32_t& element : out.ragged<std::int32_t>("tokens", tokens_(index))) element = token++;
  interrupt(index);
  out.set("label", static_cast<std::int64_t>(index));
  std::ranges::fill(out.ragged<float>("boxes.corners", index % 3), static_cast<float>(index));
  out.set_text("caption", caption(index));
  for (std::uint32_t& element : out.ragged<std::uint32_t>("noise", rng() % 7)) element = rng();
}

void check_ragged_rows(const HostBatch& batch, const RaggedDataset& dataset) {
  const auto tokens = batch.ragged<std::int32_t>("tokens");
  const auto boxes = batch.ragged<float>("boxes.corners");
  REQUIRE(tokens.size() == batch.size());
  CHECK(tokens.offsets()[0] == 0);
  CHECK(static_cast<std::size_t>(tokens.offsets().back()) == tokens.values().size());
  for (std::size_t row = 0; row < batch.size(); ++row) {
    const std::size_t index = batch.indices()[row];
    INFO("batch " << batch.number() << ", row " << row << ", sample " << index);
    std::vector<std::int32_t> expected(dataset.tokens_of(index));
    for (std::size_t k = 0; k < expected.size(); ++k) {
      expected[k] = static_cast<std::int32_t>(100 * index + k);
    }
    CHECK(std::ranges::equal(tokens[row], expected));
    CHECK(batch.view<std::int64_t, 1>("label")(row) == static_cast<std::int64_t>(index));
    CHECK(boxes.length(row) == index % 3);
    const std::vector<float> corners(4 * (index % 3), static_cast<float>(index));
    CHECK(std::ranges::equal(boxes[row], corners));
    CHECK(batch.text("caption", row) == RaggedDataset::caption(index));
  }
}

namespace {

void append(const TensorView& view, std::vector<std::byte>& all) {
  const auto* data = static_cast<const std::byte*>(view.data);
  all.insert(all.end(), data, data + view.bytes());
}

}  // namespace

std::vector<std::byte> delivered_ragged_bytes(DataLoader& loader, std::uint64_t epoch) {
  std::vector<std::byte> all;
  for (const HostBatch& batch : loader.epoch(epoch)) {
    for (std::size_t field = 0; field < batch.schema().size(); ++field) {
      if (batch.schema()[field].is_ragged()) {
        append(batch.ragged_offsets(field), all);
        append(batch.ragged_values(field), all);
      } else {
        append(batch[field], all);
      }
    }
  }
  return all;
}

}  // namespace leat::test
