#include "leat/datasets/dataset_ref.h"

#include "leat/datasets/errors.h"

namespace leat {

std::shared_ptr<const Dataset> DatasetRef::required(std::shared_ptr<const Dataset> dataset) {
  if (dataset == nullptr) throw ArgumentError("there is no dataset: the pointer is null");
  return dataset;
}

}  // namespace leat
