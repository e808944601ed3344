/// \file
/// A dataset of images and labels from any source, for training.
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

/// Names of the stored fields that hold the image and the label. If a name is empty, the field is found from the
/// first sample. The image is the only field with an image encoding, or else the only field whose bytes start like a
/// JPEG or PNG file. The label is a field called cls, label, image/class/label, class, target or y, or else the only
/// integer field.
struct LEAT_EXPORT ImageFields {
  std::string image{};  ///< The name of the image field.
  std::string label{};  ///< The name of the label field.

  friend bool operator==(const ImageFields&, const ImageFields&) = default;
};

/// Options for an ImageDataset.
struct LEAT_EXPORT ImageDatasetOptions {
  ImageFields fields = {};    ///< Which fields are delivered.
  DecodeOptions decode = {};  ///< How files are decoded.
};

/// Delivers the fields "image" and "label" (i64, scalar). The image is u8 [height, width, 3], RGB; or f32 [3, height,
/// width] if the transforms end with a Normalize.
///
/// JPEG files, PNG files and pixels (gray or RGB) pass through the same transforms. The first bytes of a file tell
/// its format. Other kinds of files are a DataError that names the kind. The same files, transforms and generator
/// give the same bytes, whatever source the files come from. If a sample lacks the image field, the image may be
/// stored under the name of another kind of file: "jpg", "jpeg" or "png".
///
/// Thread-safe if the source is.
class LEAT_EXPORT ImageDataset : public Dataset {
 public:
  /// Without transforms, images are delivered as stored: all must be pixels of the first image's size. Throws
  /// ArgumentError if the transforms do not give all images the same size, if there are no transforms and images are
  /// files, or if the reducing gap is neither 0 nor at least 1. Throws DataError that lists the fields if the image
  /// or label field is ambiguous. Also throws what the source throws.
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

  /// Returns the label of sample `index`, without decoding its image. Throws like get().
  std::int64_t label_of(std::size_t index) const;
  /// Returns the names of the classes, which labels are indices of. Empty if the source does not provide names.
  const std::vector<std::string>& classes() const noexcept;
  /// Returns the names of the stored fields that hold the delivered image and label.
  const ImageFields& fields() const noexcept;
  /// Returns how many images have been decoded with warnings, in all processes that load from this dataset.
  ImageWarnings::Counts image_warnings() const noexcept;
  /// Returns the source of the samples.
  const std::shared_ptr<const SampleSource>& source() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace leat
