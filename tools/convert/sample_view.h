// What is looked at in samples of any source: the label and the picture.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/datasets/image/image.h"
#include "leat/datasets/shards/conversion_source.h"

namespace leat::tools {

// Immutable, thread-safe.
class SampleView {
 public:
  explicit SampleView(const RecordSchema& schema);

  bool has_picture() const noexcept { return picture_.has_value(); }
  bool has_label() const noexcept { return label_.has_value(); }

  // Of the field "label", an i64 scalar; nullopt where there is none.
  std::optional<std::int64_t> label(const ConversionSample& sample) const;

  // The picture, scaled down until its longer side has at most `side` pixels. Throws DataError on a bad one. There must
  // be a picture.
  Image thumbnail(const ConversionSample& sample, int side) const;

 private:
  ImageView pixels_of(const ConversionSample& sample) const;

  std::optional<std::size_t> label_;
  std::optional<std::size_t> picture_;
  std::optional<std::size_t> extents_;  // of raw pixels whose size differs: the field beside them
  bool is_raw_ = false;
  Size size_;  // of raw pixels that all have one
};

}  // namespace leat::tools
