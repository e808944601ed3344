// The recoding of images during a conversion.
#pragma once

#include <optional>
#include <utility>

#include "leat/datasets/decode_warnings.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/jpeg_limits.h"
#include "leat/datasets/record.h"
#include "leat/datasets/record_schema.h"
#include "tools/convert/options.h"

namespace leat::tools {

using namespace detail;

// Immutable, thread-safe. Images that need no change keep their bytes. The JPEG header and end of all images are
// checked.
class Recoder {
 public:
  // Throws UsageError if images are to be changed, but the source has no JPEGs, or has several fields of JPEGs of
  // which options.image_field names none.
  Recoder(const RecordSchema& source, const ConvertOptions& options);

  const RecordSchema& schema() const noexcept { return schema_; }

  // Converts a sample of the source to one of schema(). `warnings` receives the warnings about an image that was
  // damaged, but accepted. If an image keeps its bytes, only its header is read. Throws DataError, without a path,
  // for a bad image.
  Record apply(Record sample, DecodeWarnings& warnings) const;
  Record apply(Record sample) const {
    DecodeWarnings ignored;
    return apply(std::move(sample), ignored);
  }

 private:
  static std::optional<std::size_t> find_image(const RecordSchema& source, const std::string& wanted,
                                               bool changes);
  RecordSchema make_schema(const RecordSchema& source) const;
  Image decode(const std::vector<std::byte>& file, Size size, DecodeWarnings& warnings) const;

  ResizeRule resize_;
  std::optional<int> quality_;
  bool raw_;
  JpegLimits limits_;
  std::optional<std::size_t> image_;  // the source's image field
  RecordSchema schema_;
};

// Returns the new size of an image. Images are never scaled up, except for square.
Size resized(Size size, const ResizeRule& rule);

}  // namespace leat::tools
