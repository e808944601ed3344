// A view of the label and the image in samples of any source.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/datasets/image/image.h"
#include "leat/datasets/record.h"
#include "leat/datasets/record_schema.h"

namespace leat::tools {

using namespace detail;

// Immutable, thread-safe.
class SampleView {
 public:
  explicit SampleView(const RecordSchema& schema);

  bool has_image() const noexcept { return image_.has_value(); }
  bool has_label() const noexcept { return label_.has_value(); }

  // Returns the field "label", an i64 scalar, or nullopt if there is none.
  std::optional<std::int64_t> label(const Record& sample) const;

  // Returns the image, scaled down until its longer side has at most `side` pixels. Throws DataError for a bad image.
  // Requires has_image().
  Image thumbnail(const Record& sample, int side) const;

 private:
  ImageView pixels_of(const Record& sample) const;

  std::optional<std::size_t> label_;
  std::optional<std::size_t> image_;
  std::optional<std::size_t> extents_;  // for raw pixels of varying size: the field that gives it
  bool is_raw_ = false;
  Size size_;  // of raw pixels that all have the same size
};

}  // namespace leat::tools
