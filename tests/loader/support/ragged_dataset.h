// Samples of different lengths whose every element is arithmetic on the index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/loader/data_loader.h"

namespace leat::test {

// Fields: "tokens", ragged i32 of up to kMaxTokens, token k is 100 index + k; "label" i64, the index;
// "boxes.corners", ragged f32 of up to 2 elements of [4], all of them the index; "caption", text, "sample
// <index>", empty for every fifth; "noise", ragged u32 of a random length up to 6, random numbers.
class RaggedDataset : public Dataset {
 public:
  static constexpr std::size_t kMaxTokens = 7;

  // `tokens(index)` is how many a sample has.
  explicit RaggedDataset(std::size_t size, std::function<std::size_t(std::size_t index)> tokens = cycle);

  static std::size_t cycle(std::size_t index) { return index % (kMaxTokens + 1); }
  static std::string caption(std::size_t index);
  std::size_t tokens_of(std::size_t index) const { return tokens_(index); }

  std::size_t size() const override { return size_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;

  // Runs in get() when the tokens are written and nothing else is: to throw, to die.
  std::function<void(std::size_t index)> interrupt = [](std::size_t) {};

 private:
  std::size_t size_;
  std::function<std::size_t(std::size_t)> tokens_;
  Schema schema_;
};

// Fails the test where a row of the batch is not what `dataset` gives for its index.
void check_ragged_rows(const HostBatch& batch, const RaggedDataset& dataset);

// All bytes and offsets that one epoch delivers, field by field, in order.
std::vector<std::byte> delivered_ragged_bytes(DataLoader& loader, std::uint64_t epoch);

}  // namespace leat::test
