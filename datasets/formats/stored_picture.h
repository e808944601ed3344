// One stored picture, a file or pixels, to the pixels of a batch's row.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "leat/datasets/formats/raw_source.h"
#include "leat/datasets/image/decode_options.h"
#include "leat/datasets/image/decode_warnings.h"
#include "leat/datasets/image/pixel_output.h"
#include "leat/datasets/image/transform.h"
#include "leat/datasets/rng.h"

namespace leat {

// "JPEG", "PNG", "GIF", "WebP", "BMP" or "TIFF" by the first bytes; empty where they are of none of these.
std::string_view picture_kind(std::span<const std::byte> file) noexcept;

// Pixels in the encoding pil, which starts with width, height and mode. A view into the field.
struct StoredPixels {
  Size size;
  int channels = 0;  // 1: grey, 3: RGB
  std::span<const std::byte> pixels;
};

// Throws DataError where it is damaged, or of another mode than L and RGB.
StoredPixels parse_pil(const RawField& field);

// Replaces `bytes` by the encoding pil of these pixels.
void write_pil(const StoredPixels& picture, std::vector<std::byte>& bytes);

// Transforms the picture into `out`, whose size the pipeline must make. Returns what was wrong with it. Throws DataError on bad data and on kinds of
// files that are not decoded, ArgumentError on a picture that the transforms cannot take.
DecodeWarnings load_picture(const RawField& field, const TransformPipeline& transforms,
                            const DecodeOptions& decode, Rng& rng, const PixelOutput& out);

}  // namespace leat
