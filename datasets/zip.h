/// \file
/// A dataset that joins the fields of several datasets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/dataset_ref.h"
#include "leat/datasets/export.h"

namespace leat {

/// Joins the fields of several datasets: sample i has the fields of sample i of every part: Zip({images, captions}).
/// With a prefix, the field "x" of a part is called "prefix.x": Zip({{before, "before"}, {after, "after"}}). Parts
/// write directly to the row of the batch.
///
/// All parts must have the same number of samples; use Subset to shorten one. Each part has its own generator, made
/// from the sample's, so what a part draws does not depend on the other parts.
///
/// Thread-safe if the datasets are.
class LEAT_EXPORT Zip final : public Dataset {
 public:
  /// A dataset, and the prefix of its fields.
  struct Part {
    /// Refers to a dataset, which must outlive the Zip.
    Part(const Dataset& of, std::string named = {})  // NOLINT(google-explicit-constructor): Zip({a, b})
        : dataset(of), prefix(std::move(named)) {}
    /// Rejects temporaries, which would be destroyed before they are used.
    Part(const Dataset&& temporary, std::string named = {}) = delete;
    /// Refers to a dataset, or shares the ownership of a dataset.
    Part(DatasetRef of, std::string named = {}) : dataset(std::move(of)), prefix(std::move(named)) {}

    DatasetRef dataset;  ///< The dataset.
    std::string prefix;  ///< Precedes the names of its fields, with a dot; if empty, the names stay.
  };

  /// Throws ArgumentError if there is no part, a part has no fields, two fields have the same name, or the sizes
  /// differ.
  explicit Zip(std::vector<Part> parts);

  // Throws ArgumentError if the sizes of the parts differ by now.
  std::size_t size() const override;
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override;
  std::string warnings() const override;
  std::string describe(std::size_t index) const override;  // "a.jpg, line 7"
  std::optional<std::string> spec() const override;

 private:
  std::vector<Part> parts_;
  Schema schema_;
};

}  // namespace leat
