// A dataset with a ragged field, whose contents are arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/datasets/dataset.h"

namespace leat::test {

// "image" is u8 [4, 4, 3], "label" is an i64, and "tokens" are 0 to 11 pairs of i32. Some rows have none.
class UnevenDataset final : public Dataset {
 public:
  explicit UnevenDataset(std::size_t samples) : samples_(samples) {}

  static std::int64_t label(std::size_t index) { return static_cast<std::int64_t>(3 * index + 1); }
  static std::size_t length(std::size_t index) { return index * 7 % 12; }
  // Of the samples [first, last).
  static std::size_t elements(std::size_t first, std::size_t last) {
    std::size_t sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += length(i);
    return sum;
  }

  std::size_t size() const override { return samples_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    const auto image = out.values<std::uint8_t>("image");
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(5 * index + i);
    const auto tokens = out.ragged<std::int32_t>("tokens", length(index));
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(100 * index + i);
    out.set("label", label(index));
  }

 private:
  std::size_t samples_;
  Schema schema_{{{"image", DType::u8, {4, 4, 3}},
                  Field::ragged("tokens", DType::i32, {.max_length = 11, .element = {2}}),
                  {"label", DType::i64, {}}}};
};

}  // namespace leat::test
