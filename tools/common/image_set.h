// The images of a location, or a part of them, as a dataset.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "datasets/image/transform.h"
#include "datasets/subset.h"
#include "tools/common/data_source.h"

namespace leat::tools {

enum class Part {
  all,        // of the train folder, whether or not some of them are held back
  train,      // without what is held back
  held_back,  // the held-back folder; or, where there is none, every tenth image of each class (the 10th,
              // 20th, ...)
};

// A dataset and what it consists of. Movable; the dataset stays where it is.
class ImageSet {
 public:
  // Lists the folder. Throws UsageError where nothing is left in this part, or records do not name their classes, and
  // what ImageFolder and RecordImages throw.
  ImageSet(const ImageLocation& location, Part part, TransformPipeline transforms);

  const Dataset& dataset() const noexcept;
  const std::vector<std::string>& classes() const noexcept { return classes_; }

 private:
  std::unique_ptr<Dataset> images_;  // ImageFolder or RecordImages
  std::vector<std::string> classes_;
  std::unique_ptr<Subset> subset_;  // null: all of the images
};

// Positions i of a run of labels whose held-back flag is `held_back`: the 10th, 20th, ... of each label is
// held back.
std::vector<std::size_t> tenths(const std::vector<std::int64_t>& labels, bool held_back);

}  // namespace leat::tools
