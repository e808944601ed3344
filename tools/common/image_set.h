// The images of a location, or a part of them, as a dataset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "leat/datasets/image_folder.h"
#include "leat/datasets/subset.h"
#include "leat/datasets/transforms.h"
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
  // Lists or opens what lies there. Throws UsageError where nothing is left in this part, and where open_source() or
  // ImageDataset find the data missing or damaged; their other errors pass.
  ImageSet(const ImageLocation& location, Part part, TransformPipeline transforms);

  const Dataset& dataset() const noexcept;
  // Of a format that does not name its classes, their numbers; none where Part::all asks for no labels.
  const std::vector<std::string>& classes() const noexcept { return classes_; }

 private:
  std::vector<std::int64_t> open(const ImageLocation& location, bool own_place, bool with_labels,
                                 TransformPipeline transforms);

  std::unique_ptr<Dataset> all_;
  std::unique_ptr<Subset> subset_;  // null: all of it
  std::vector<std::string> classes_;
};

// Positions i of a run of labels whose held-back flag is `held_back`: the 10th, 20th, ... of each label is
// held back.
std::vector<std::size_t> tenths(const std::vector<std::int64_t>& labels, bool held_back);

}  // namespace leat::tools
