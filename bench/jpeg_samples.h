// The benchmark of JPEG files, in batches of 64: random-resized-crop to 224 and horizontal flip, as u8 and as
// normalized f32; and the validation transforms, as u8.
#pragma once

#include <filesystem>

namespace leat::bench {

// `folder` is an image folder whose files are read several times per epoch. The limit (L1 of the targets) is two
// threads that decode each file entirely to RGB with libjpeg-turbo and do nothing else.
void add_jpeg_samples(const std::filesystem::path& folder);

}  // namespace leat::bench
