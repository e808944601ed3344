/// \file
/// Functions applied to the samples of a dataset.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "leat/datasets/dataset.h"
#include "leat/datasets/dataset_ref.h"
#include "leat/datasets/export.h"
#include "leat/datasets/sample_view.h"

namespace leat {

namespace detail {
struct ScratchLayout;
}

/// Makes samples with another schema from the samples of a dataset. The dataset writes its sample to memory of the
/// calling thread. From that, the function writes the row of the batch, every byte of every field, as Dataset::get()
/// does. The generator continues where the dataset left it.
///
///     const Map lengths(texts, Schema({{"length", DType::i64, {}}}),
///                       [](const SampleView& in, SampleWriter& out, Rng&) {
///                         out.set("length", static_cast<std::int64_t>(in.text("text").size()));
///                       });
///
/// Many processes, or many threads at the same time, call the function, as they call get(). Thread-safe if the
/// dataset and the function are.
class LEAT_EXPORT Map final : public Dataset {
 public:
  /// Reads the dataset's sample and writes a sample with the new schema.
  using Function = std::function<void(const SampleView& in, SampleWriter& out, Rng& rng)>;

  /// `schema` describes the samples that the function writes. Throws ArgumentError if the function is empty.
  Map(DatasetRef dataset, Schema schema, Function function);

  std::size_t size() const override { return dataset_->size(); }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override { dataset_->prefetch(index); }
  void read_ahead(std::size_t index) const noexcept override { dataset_->read_ahead(index); }
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override { return dataset_->describe(index); }

 private:
  DatasetRef dataset_;
  Schema schema_;
  Function function_;
  std::shared_ptr<const detail::ScratchLayout> layout_;
};

/// Edits the samples of a dataset in the row of the batch, without a copy. The schema stays the same. values<T>()
/// returns the elements that the dataset wrote, and written() returns the bytes of any field. To shorten a ragged
/// field, request fewer elements.
///
///     const MapInPlace noisy(signals, [](SampleWriter& sample, Rng& rng) {
///       for (float& value : sample.values<float>("signal")) value += static_cast<float>(rng.uniform(-0.1, 0.1));
///     });
///
/// Otherwise like Map.
class LEAT_EXPORT MapInPlace final : public Dataset {
 public:
  /// Edits a sample.
  using Function = std::function<void(SampleWriter& sample, Rng& rng)>;

  /// Throws ArgumentError if the function is empty.
  MapInPlace(DatasetRef dataset, Function function);

  std::size_t size() const override { return dataset_->size(); }
  const Schema& schema() const override { return dataset_->schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override { dataset_->prefetch(index); }
  void read_ahead(std::size_t index) const noexcept override { dataset_->read_ahead(index); }
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override { return dataset_->describe(index); }

 private:
  DatasetRef dataset_;
  Function function_;
};

}  // namespace leat
