// What becomes of the images on their way.
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

// Immutable, thread-safe. Images that nothing is to be done to keep their bytes; those and all others have their JPEG
// header and end checked.
class Recoder {
 public:
  // Throws UsageError where there is something to do and the source has no JPEGs, or several fields of them, of which
  // options.image_field names none.
  Recoder(const RecordSchema& source, const ConvertOptions& options);

  const RecordSchema& schema() const noexcept { return schema_; }

  // From a sample of the source to one of schema(). `warnings`: of an image that was damaged, but accepted; of one that
  // keeps its bytes, only the header is read. Throws DataError, without a path, on a bad image.
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
  std::optional<std::size_t> image_;  // the source's field
  RecordSchema schema_;
};

// The size that an image gets. Images are never scaled up, but for square.
Size resized(Size size, const ResizeRule& rule);

}  // namespace leat::tools
