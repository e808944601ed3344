// Samples that are written in two halves, with a step in between, and what must be true of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "leat/datasets/dataset.h"

namespace leat::interleaving {

inline constexpr std::uint64_t kSeed = 5;

// Which samples cannot be loaded.
struct BadOnes {
  std::optional<std::uint64_t> poison = std::nullopt;  // kills its worker
  std::optional<std::uint64_t> throws = std::nullopt;

  bool include(std::uint64_t index) const { return poison == index || throws == index; }
};

class SteppedDataset final : public Dataset {
 public:
  SteppedDataset(std::size_t size, BadOnes bad);

  std::size_t size() const override { return size_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;

 private:
  std::size_t size_;
  BadOnes bad_;
  Schema schema_;
};

// Whether the row of a slot at `data` holds sample `index`, whole, as it is in `epoch`.
bool holds(const std::byte* data, std::size_t offset_of_second, std::size_t row, std::uint64_t epoch,
           std::uint64_t index);

// Whether as many workers as it takes may have died with that sample in progress. (Between two samples, the row
// in progress is the one before, or the one behind it, until that begins.)
bool guilty(std::uint64_t index, std::size_t limit);

}  // namespace leat::interleaving
