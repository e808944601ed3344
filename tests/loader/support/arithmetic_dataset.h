// Datasets whose every byte is arithmetic on the index, so that a test knows what must arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/loader/data_loader.h"

namespace leat::test {

// Fields: "values" i32 [5], values[k] = 10 index + k; "label" i64, index squared; "noise" u32 [2], the
// generator's first two numbers.
class ArithmeticDataset : public Dataset {
 public:
  explicit ArithmeticDataset(std::size_t size);

  std::size_t size() const override { return size_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  std::string describe(std::size_t index) const override { return "number " + std::to_string(index); }

 private:
  std::size_t size_;
  Schema schema_;
};

// The same, but runs `before(index)` at the start of every get(): to throw, to wait, to die.
class HookedDataset final : public ArithmeticDataset {
 public:
  HookedDataset(std::size_t size, std::function<void(std::size_t index)> before)
      : ArithmeticDataset(size), before_(std::move(before)) {}
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override {
    before_(index);
    ArithmeticDataset::get(index, rng, out);
  }

 private:
  std::function<void(std::size_t)> before_;
};

// Fails the test where a row of the batch is not what ArithmeticDataset gives for its index under (seed,
// epoch).
void check_rows(const HostBatch& batch, std::uint64_t seed);

std::vector<std::uint64_t> indices_of(const HostBatch& batch);

// All bytes that one epoch delivers, field by field and row by row, in order.
std::vector<std::byte> delivered_bytes(DataLoader& loader, std::uint64_t epoch);

}  // namespace leat::test
