/// \file
/// Images and their labels from any source, as samples for training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/dataset.h"
#include "leat/datasets/decode_options.h"
#include "leat/datasets/export.h"
#include "leat/datasets/image_warnings.h"
#include "leat/datasets/sample_source.h"
#include "leat/datasets/transforms.h"

namespace leat {

/// Names of the stored fields that hold image and label. If a name is empty, the field is found by the first sample.
/// Image: the one field whose encoding is that of an image, or else the one whose bytes start as a JPEG or PNG file
/// does. Label: a field called cls, label, image/class/label, class, target or y, or else the one whole number there
/// is.
struct LEAT_EXPORT ImageFields {
  std::string image{};  ///< The name of the image's field.
  std::string label{};  ///< The name of the label's field.

  friend bool operator==(const ImageFields&, const ImageFields&) = default;
};

/// How an ImageDataset reads its source.
struct LEAT_EXPORT ImageDatasetOptions {
  ImageFields fields = {};    ///< Which fields are delivered.
  DecodeOptions decode = {};  ///< How files are decoded.
};

/// Delivers "image" and "label" (i64, scalar). The image is u8 [height, width, 3], RGB; or f32 [3, height, width], if
/// the transforms end with a Normalize.
///
/// JPEG and PNG files, told apart by their first bytes, and pixels (gray or RGB) go through the same transforms; other
/// kinds of files are a DataError that names the kind. For the same files, transforms and generator the bytes are the
/// same, whatever source the files come from. If a sample lacks the image's field, it may have it under the name of
/// another kind of file: "jpg", "jpeg" or "png".
///
/// Thread-safe if the source is.
class LEAT_EXPORT ImageDataset : public Dataset {
 public:
  /// Without transforms, images are delivered as they are stored: pixels, all of the first one's size. Throws
  /// ArgumentError if the transforms do not make all images equally large, there are no transforms and images are
  /// files, or the reducing gap is neither 0 nor at least 1; DataError that lists the fields if the ones of image and
  /// label are not clear; and what the source throws.
  explicit ImageDataset(std::shared_ptr<const SampleSource> source,
                        std::optional<TransformPipeline> transforms = {},
                        const ImageDatasetOptions& options = {});
  ~ImageDataset() override;
  /// A moved-from dataset may only be destroyed or assigned to.
  ImageDataset(ImageDataset&&) noexcept;
  /// A moved-from dataset may only be destroyed or assigned to.
  ImageDataset& operator=(ImageDataset&&) noexcept;

  std::size_t size() const override;
  const Schema& schema() const override;
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override;
  std::string warnings() const override;
  std::string describe(std::size_t index) const override;
  std::optional<std::string> spec() const override;

  /// Returns the label of sample `index`, without decoding its image. Throws as get().
  std::int64_t label_of(std::size_t index) const;
  /// Returns the names of the classes whose numbers are the labels; empty if the source does not tell them.
  const std::vector<std::string>& classes() const noexcept;
  /// Returns the names of the stored fields that are delivered.
  const ImageFields& fields() const noexcept;
  /// Returns how many images were decoded with warnings so far, in all processes that load from this dataset.
  ImageWarnings::Counts image_warnings() const noexcept;
  /// Returns the source of the samples.
  const std::shared_ptr<const SampleSource>& source() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace leat
