#include "tests/loader/support/arithmetic_dataset.h"

#include <catch2/catch_test_macros.hpp>

namespace leat::test {

ArithmeticDataset::ArithmeticDataset(std::size_t size)
    : size_(size),
      schema_({{"values", DType::i32, {5}}, {"label", DType::i64, {}}, {"noise", DType::u32, {2}}}) {}

void ArithmeticDataset::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  std::int32_t value = static_cast<std::int32_t>(10 * index);
  for (std::int32_t& element : out.values<std::int32_t>(0)) element = value++;
  out.set(1, static_cast<std::int64_t>(index * index));
  for (std::uint32_t& element : out.values<std::uint32_t>(2)) element = rng();
}

void check_rows(const HostBatch& batch, std::uint64_t seed) {
  const auto values = batch["values"].as<std::int32_t>();
  const auto labels = batch["label"].as<std::int64_t>();
  const auto noise = batch["noise"].as<std::uint32_t>();
  for (std::size_t row = 0; row < batch.size(); ++row) {
    const std::uint64_t index = batch.indices()[row];
    Rng rng(seed, batch.epoch(), index);
    bool right = labels[row] == static_cast<std::int64_t>(index * index);
    for (std::size_t k = 0; k < 5; ++k)
      right = right && values[row * 5 + k] == static_cast<std::int32_t>(10 * index + k);
    right = right && noise[row * 2] == rng();
    right = right && noise[row * 2 + 1] == rng();
    INFO("batch " << batch.number() << ", row " << row << ", sample " << index);
    CHECK(right);
  }
}

std::vector<std::uint64_t> indices_of(const HostBatch& batch) {
  return {batch.indices().begin(), batch.indices().end()};
}

std::vector<std::byte> delivered_bytes(DataLoader& loader, std::uint64_t epoch) {
  std::vector<std::byte> all;
  for (const HostBatch& batch : loader.epoch(epoch)) {
    for (std::size_t field = 0; field < batch.schema().size(); ++field) {
      const TensorView view = batch[field];
      const auto* data = static_cast<const std::byte*>(view.data);
      all.insert(all.end(), data, data + view.bytes());
    }
  }
  return all;
}

}  // namespace leat::test
