/// \file
/// References to datasets, for combinations of datasets.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "leat/datasets/dataset.h"
#include "leat/datasets/export.h"

namespace leat {

/// Refers to a dataset that the caller keeps alive, or shares the ownership of a dataset: Subset(images, ...) or
/// Subset(std::make_shared<ImageFolder>(...), ...).
class LEAT_EXPORT DatasetRef {
 public:
  /// Refers to a dataset, which must outlive this object.
  DatasetRef(const Dataset& dataset)  // NOLINT(google-explicit-constructor): Subset(images, ...)
      : dataset_(std::shared_ptr<const void>(), &dataset) {}
  /// Rejects temporaries, which would be destroyed before they are used. Use a shared_ptr instead.
  DatasetRef(const Dataset&& temporary) = delete;
  /// Shares the ownership of a dataset. Throws ArgumentError if it is null.
  template <std::derived_from<Dataset> T>
  DatasetRef(std::shared_ptr<T> dataset)  // NOLINT(google-explicit-constructor): Subset(shared, ...)
      : dataset_(required(std::move(dataset))) {}

  /// Returns the dataset.
  const Dataset& operator*() const noexcept { return *dataset_; }
  /// Returns the dataset.
  const Dataset* operator->() const noexcept { return dataset_.get(); }

 private:
  static std::shared_ptr<const Dataset> required(std::shared_ptr<const Dataset> dataset);

  std::shared_ptr<const Dataset> dataset_;
};

}  // namespace leat
