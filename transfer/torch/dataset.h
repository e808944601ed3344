/// \file
/// Datasets of LibTorch's as datasets of leat's.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/schema.h"
#include "leat/torch/set.h"

namespace leat::torch {

namespace detail {

// LibTorch's random numbers on the CPU start anew from a seed, until the object is destroyed and they go on as before.
class SeededGenerator {
 public:
  explicit SeededGenerator(std::uint64_t seed) : generator_(::at::detail::getDefaultCPUGenerator()) {
    const std::lock_guard lock(generator_.mutex());
    state_ = generator_.get_state();
    generator_.set_current_seed(seed);
  }
  SeededGenerator(const SeededGenerator&) = delete;
  SeededGenerator& operator=(const SeededGenerator&) = delete;
  ~SeededGenerator() {
    const std::lock_guard lock(generator_.mutex());
    generator_.set_state(state_);
  }

 private:
  ::at::Generator generator_;
  ::at::Tensor state_;
};

// Loads one example: from a torch::data::datasets::Dataset, or from one of batches, such as a MapDataset.
template <class Source>
auto example_of(Source& source, std::size_t index) {
  if constexpr (requires { source.get(index); }) {
    return source.get(index);
  } else {
    return std::move(source.get_batch(::c10::ArrayRef<std::size_t>(index)).at(0));
  }
}

template <class Example>
inline constexpr bool has_target = requires(const Example& example) {
  { example.target } -> std::convertible_to<const ::at::Tensor&>;
};

}  // namespace detail

/// What a torch Dataset's fields are called.
struct FieldNames {
  std::string data = "data";      ///< Example::data
  std::string target = "target";  ///< Example::target, if it has one
};

/// A map-style dataset of LibTorch's as a dataset of leat's: `leat::torch::Dataset train{MNIST(path)}`. Its fields
/// are "data" and "target", with the dtypes and shapes of sample 0; all samples must have them.
///
/// `Source` has size(), and get(index) that returns a torch::data::Example of tensors, as classes derived from
/// torch::data::datasets::Dataset have; or get_batch() that returns a vector of those, as a dataset has that was mapped
/// by a torch::data::transforms::TensorTransform. Stacked batches, stateful datasets and streams are not supported.
///
/// The default generator of the CPU is seeded for each sample, and set back after it, so random transforms depend on
/// (seed, epoch, index) alone. Use worker processes: with thread workers, get() of `Source` must be thread-safe, and
/// random numbers are not repeatable.
template <class Source>
class Dataset final : public ::leat::Dataset {
 public:
  /// Takes over the dataset, and loads its sample 0. Throws ArgumentError if the dataset is empty, does not know its
  /// size, or if its tensors cannot be fields; and what get() throws.
  explicit Dataset(Source source, FieldNames names = {})
      : source_(std::move(source)), size_(size_of(source_)), schema_(schema_of(source_, std::move(names))) {}

  std::size_t size() const override { return size_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override {
    const detail::SeededGenerator seeded(rng.bits64());
    const auto example = detail::example_of(source_, index);
    set(out, 0, example.data);
    if constexpr (detail::has_target<decltype(example)>) set(out, 1, example.target);
  }

 private:
  static std::size_t size_of(const Source& source) {
    const auto size = source.size();
    if (!size.has_value() || *size == 0)
      throw ArgumentError("a dataset of LibTorch's is empty, or does not know its size");
    return *size;
  }

  static Schema schema_of(Source& source, FieldNames names) {
    const detail::SeededGenerator seeded(0);
    const auto example = detail::example_of(source, 0);
    std::vector<Field> fields{field_of(std::move(names.data), example.data)};
    if constexpr (detail::has_target<decltype(example)>)
      fields.push_back(field_of(std::move(names.target), example.target));
    return Schema(std::move(fields));
  }

  mutable Source source_;  // whose get() is not const
  std::size_t size_;
  Schema schema_;
};

}  // namespace leat::torch
