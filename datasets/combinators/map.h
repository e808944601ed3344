// Samples of a dataset, worked on by a function.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "leat/datasets/combinators/sample_view.h"
#include "leat/datasets/combinators/scratch_sample.h"
#include "leat/datasets/dataset.h"

namespace leat {

// Other fields made of a dataset's: the dataset writes its sample into memory of the thread, and `function` makes the
// row of the batch from it, which it writes whole, like Dataset::get(). The generator goes on where the dataset left it.
//
//   const Map lengths(texts, Schema({{"length", DType::i64, {}}}),
//                     [](const SampleView& in, SampleWriter& out, Rng&) {
//                       out.set("length", static_cast<std::int64_t>(in.text("text").size()));
//                     });
//
// The function is called by many processes, or threads at once, like get(). The dataset outlives this.
class Map final : public Dataset {
 public:
  using Function = std::function<void(const SampleView& in, SampleWriter& out, Rng& rng)>;

  // Throws ArgumentError where the function is empty.
  Map(const Dataset& dataset, Schema schema, Function function);
  Map(const Dataset&& temporary, Schema schema, Function function) = delete;

  std::size_t size() const override { return dataset_->size(); }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override { dataset_->prefetch(index); }
  void read_ahead(std::size_t index) const noexcept override { dataset_->read_ahead(index); }
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override { return dataset_->describe(index); }

 private:
  const Dataset* dataset_;
  Schema schema_;
  Function function_;
  ScratchLayout layout_;
};

// The dataset's own fields, edited where they lie, in the row of the batch, without a copy: values<T>() gives what the
// dataset wrote, written() the bytes of any field; a ragged field can be cut by asking for fewer of its elements.
//
//   const MapInPlace noisy(signals, [](SampleWriter& sample, Rng& rng) {
//     for (float& value : sample.values<float>("signal")) value += static_cast<float>(rng.uniform(-0.1, 0.1));
//   });
//
// Otherwise like Map.
class MapInPlace final : public Dataset {
 public:
  using Function = std::function<void(SampleWriter& sample, Rng& rng)>;

  // Throws ArgumentError where the function is empty.
  MapInPlace(const Dataset& dataset, Function function);
  MapInPlace(const Dataset&& temporary, Function function) = delete;

  std::size_t size() const override { return dataset_->size(); }
  const Schema& schema() const override { return dataset_->schema(); }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override { dataset_->prefetch(index); }
  void read_ahead(std::size_t index) const noexcept override { dataset_->read_ahead(index); }
  bool reads_ahead() const noexcept override { return dataset_->reads_ahead(); }
  std::string warnings() const override { return dataset_->warnings(); }
  std::string describe(std::size_t index) const override { return dataset_->describe(index); }

 private:
  const Dataset* dataset_;
  Function function_;
};

}  // namespace leat
