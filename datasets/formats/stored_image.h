// Converts one stored image, a file or pixels, to the pixels of a batch's row.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "leat/datasets/decode_options.h"
#include "leat/datasets/decode_warnings.h"
#include "leat/datasets/image/pixel_output.h"
#include "leat/datasets/rng.h"
#include "leat/datasets/sample_source.h"
#include "leat/datasets/transforms.h"

namespace leat::detail {

// Returns "JPEG", "PNG", "GIF", "WebP", "BMP" or "TIFF" by the first bytes; empty for other bytes.
std::string_view image_kind(std::span<const std::byte> file) noexcept;

// Whether the bytes start like a file of a kind that can be decoded: JPEG or PNG.
bool is_decoded_file(std::span<const std::byte> file) noexcept;

// Transforms the image into `out`; the pipeline must produce the size of `out`. Returns the decoder's warnings.
// Throws DataError on bad data and on kinds of files that are not decoded, ArgumentError if the transforms cannot
// take the image.
DecodeWarnings load_image(const StoredField& field, const TransformPipeline& transforms,
                          const DecodeOptions& decode, Rng& rng, const PixelOutput& out);

// Writes pixels of this size as RGB. Throws DataError if the field holds no pixels, or pixels of another size.
void copy_pixels(const StoredField& field, Size size, std::span<std::byte> row);

}  // namespace leat::detail
