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

/// Opens the images once, and the measuring processes inherit them. Must outlive the loaders that it makes.
class SweptImages {
 public:
  SweptImages(const ImageLocation& location, const SweepOptions& options);

  /// Makes a loader. Of all loaders made here, in any process, only the first that has warnings of the dataset
  /// reports them.
  DataLoader loader(int num_workers) const { return loader_of(images_.dataset(), num_workers); }
  /// Makes the same loader over another dataset.
  DataLoader loader_of(const Dataset& dataset, int num_workers) const;
  const Dataset& dataset() const noexcept { return images_.dataset(); }
  /// Returns the source of the dataset's images.
  const std::shared_ptr<const SampleSource>& source() const noexcept { return images_.images().source(); }
  const TransformPipeline& transforms() const noexcept { return transforms_; }
  /// Returns how the dataset decodes its images.
  const DecodeOptions& decoding() const noexcept { return decoding_; }

 private:
  TransformPipeline transforms_;
  DecodeOptions decoding_;
  ImageSet images_;
  DataLoaderOptions options_;
  detail::SharedMemory warned_;  // a flag: whether the dataset's warnings were reported
};

/// Returns the options that describe the data, for the result of a sweep.
SweptData describe_data(const ImageLocation& location, const SweepOptions& options);

/// Returns the bytes of a file, or of all files below a folder. Returns nullopt if there is neither (for example, for
/// a pattern of names).
std::optional<std::uint64_t> stored_bytes(const std::filesystem::path& path);

}  // namespace leat::tools
