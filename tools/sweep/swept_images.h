// The images that leat-sweep loads, and the loaders that it measures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "leat/datasets/base/shared_memory.h"
#include "leat/datasets/decode_options.h"
#include "leat/loader/sweep.h"
#include "tools/common/image_set.h"
#include "tools/sweep/options.h"

namespace leat::tools {

using namespace detail;

/// Opens the images once; the measuring processes inherit them. Outlives the loaders that it makes.
class SweptImages {
 public:
  SweptImages(const ImageLocation& location, const SweepOptions& options);

  /// Of all loaders made here, in whatever process, one tells the warnings of its dataset: the first that has any.
  DataLoader loader(int num_workers) const { return loader_of(images_.dataset(), num_workers); }
  /// The same loader over another dataset.
  DataLoader loader_of(const Dataset& dataset, int num_workers) const;
  const Dataset& dataset() const noexcept { return images_.dataset(); }
  const TransformPipeline& transforms() const noexcept { return transforms_; }
  /// How the dataset decodes its images.
  const DecodeOptions& decoding() const noexcept { return decoding_; }

 private:
  TransformPipeline transforms_;
  DecodeOptions decoding_;
  ImageSet images_;
  DataLoaderOptions options_;
  detail::SharedMemory warned_;  // a flag: the dataset's warnings were told
};

/// What the options say about the data, for the result of a sweep.
SweptData describe_data(const ImageLocation& location, const SweepOptions& options);

/// Bytes of a file, or of all files below a folder. nullopt if there is neither (a pattern of names, say).
std::optional<std::uint64_t> stored_bytes(const std::filesystem::path& path);

}  // namespace leat::tools
