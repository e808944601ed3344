// The images of a location, or a part of them, as a dataset.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "leat/datasets/image_dataset.h"
#include "leat/datasets/subset.h"
#include "leat/datasets/transforms.h"
#include "tools/common/data_source.h"

namespace leat::tools {

enum class Part {
  all,        // all images of the train folder, whether or not some of them are held back
  train,      // the train folder's images that are not held back
  held_back,  // the held-back folder or, if there is none, every tenth image of each class (the 10th,
              // 20th, ...)
};

// A dataset and its sources. Movable; the dataset's address does not change.
class ImageSet {
 public:
  // Lists or opens the location. Throws UsageError if the part has no images, or if open_source() or ImageDataset
  // finds the data missing or damaged. Their other errors pass through.
  ImageSet(const ImageLocation& location, Part part, TransformPipeline transforms);

  const Dataset& dataset() const noexcept;
  // Returns all images of the place, of which dataset() may be a part.
  const ImageDataset& images() const noexcept { return *all_; }
  // Returns the classes. If the format does not name them, they are numbers, and empty for Part::all, which reads no
  // labels.
  const std::vector<std::string>& classes() const noexcept { return classes_; }

 private:
  std::vector<std::int64_t> open(const ImageLocation& location, bool own_place, bool with_labels,
                                 TransformPipeline transforms);

  std::unique_ptr<ImageDataset> all_;
  std::unique_ptr<Subset> subset_;  // null if all images are used
  std::vector<std::string> classes_;
};

// Returns the positions i in a list of labels whose held-back flag is `held_back`. The 10th, 20th, ... image of each
// label is held back.
std::vector<std::size_t> tenths(const std::vector<std::int64_t>& labels, bool held_back);

}  // namespace leat::tools
