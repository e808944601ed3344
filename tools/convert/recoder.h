// What becomes of the pictures on their way.
#pragma once

#include <optional>

#include "datasets/image/image.h"
#include "datasets/shards/conversion_source.h"
#include "tools/convert/options.h"

namespace leat::tools {

// Immutable, thread-safe. Pictures that nothing is to be done to keep their bytes; those and all others have their JPEG
// header and end checked.
class Recoder {
 public:
  // Throws UsageError where there is something to do and the source has no JPEGs.
  Recoder(const RecordSchema& source, const ConvertOptions& options);

  const RecordSchema& schema() const noexcept { return schema_; }

  // From a sample of the source to one of schema(). Throws DataError, without a path, on a bad picture.
  ConversionSample apply(ConversionSample sample) const;

 private:
  RecordSchema make_schema(const RecordSchema& source) const;
  Image decode(const std::vector<std::byte>& file, Size size) const;

  ResizeRule resize_;
  std::optional<int> quality_;
  bool raw_;
  std::optional<std::size_t> image_;  // the source's field
  RecordSchema schema_;
};

// The size that a picture gets. Pictures are never scaled up, but for square.
Size resized(Size size, const ResizeRule& rule);

}  // namespace leat::tools
