// Datasets of a few bytes per sample, all of them arithmetic on the index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "leat/datasets/dataset.h"

namespace leat::test {

// "number" u64: first + index; "drawn" u32: what the generator draws first.
class Numbers final : public Dataset {
 public:
  explicit Numbers(std::size_t count, std::uint64_t first = 0) : samples(count), first_(first) {}

  std::size_t size() const override { return samples; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override {
    ++gets;
    out.set<std::uint64_t>(0, first_ + index);
    out.set<std::uint32_t>(1, rng());
  }
  void prefetch(std::size_t index) const noexcept override { prefetched = first_ + index; }
  void read_ahead(std::size_t index) const noexcept override { read = first_ + index; }
  bool reads_ahead() const noexcept override { return true; }
  std::string describe(std::size_t index) const override {
    return "number " + std::to_string(first_ + index);
  }

  std::size_t samples;  // may be changed
  mutable std::size_t gets = 0;
  mutable std::uint64_t prefetched = 0, read = 0;  // last

 private:
  std::uint64_t first_;
  Schema schema_{{{"number", DType::u64, {}}, {"drawn", DType::u32, {}}}};
};

// "text", u8 of up to 16: "text <index>", nothing for sample 0; "weight" f32: index / 2; "tokens", i32 of up to 3:
// index modulo 4 of them, token k is 10 index + k.
class Texts final : public Dataset {
 public:
  explicit Texts(std::size_t samples) : samples_(samples) {}

  static std::string text(std::size_t index) { return index == 0 ? "" : "text " + std::to_string(index); }

  std::size_t size() const override { return samples_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    out.set_text(0, text(index));
    out.set<float>(1, static_cast<float>(index) / 2);
    auto token = static_cast<std::int32_t>(10 * index);
    for (std::int32_t& element : out.ragged<std::int32_t>(2, index % 4)) element = token++;
  }

 private:
  std::size_t samples_;
  Schema schema_{{Field::text("text", 16),
                  {"weight", DType::f32, {}},
                  Field::ragged("tokens", DType::i32, {.max_length = 3})}};
};

}  // namespace leat::test
