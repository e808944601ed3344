#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/arrays/idx.h"
#include "leat/datasets/formats/arrays/pixel_source.h"
#include "leat/datasets/io/listing.h"

namespace leat {

using namespace detail;

namespace {

namespace fs = std::filesystem;

void check_images(const IdxArray& images, const fs::path& path) {
  const Shape& shape = images.shape;
  const bool gray = shape.size() == 3, color = shape.size() == 4 && shape[3] == kChannels;
  const bool sound =
      images.dtype == DType::u8 && (gray || color) &&
      std::all_of(shape.begin() + 1, shape.end(), [](std::size_t n) { return n > 0 && n <= 65536; });
  if (sound) return;
  throw DataError(path.string(), fmt::format("it holds {} {}; images are u8 [n, h, w] or [n, h, w, 3]",
                                             name_of(images.dtype), to_string(shape)));
}

std::vector<std::int64_t> to_labels(const IdxArray& array, const fs::path& path) {
  if (array.shape.size() != 1 || (array.dtype != DType::u8 && array.dtype != DType::i32)) {
    throw DataError(path.string(), fmt::format("it holds {} {}; labels are u8 or i32 [n]",
                                               name_of(array.dtype), to_string(array.shape)));
  }
  std::vector<std::int64_t> labels(array.shape[0]);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    std::int32_t wide = 0;
    if (array.dtype == DType::i32) std::memcpy(&wide, array.bytes.data() + 4 * i, sizeof wide);
    labels[i] = array.dtype == DType::u8 ? std::to_integer<std::int64_t>(array.bytes[i]) : wide;
  }
  return labels;
}

bool is_of_part(const std::string& name, DatasetPart part) {
  const auto holds = [&](const char* text) { return name.find(text) != std::string::npos; };
  return part == DatasetPart::train ? holds("train") : holds("t10k") || holds("test");
}

// Lists files such as "images-idx3-ubyte" and "images.idx3-ubyte.gz".
std::vector<fs::path> list_idx(const fs::path& folder, DatasetPart part, const std::string& what) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_idx =
        name.find(what + "-idx") != std::string::npos || name.find(what + ".idx") != std::string::npos;
    if (is_idx && is_of_part(name, part)) found.push_back(entry.path());
  }
  return found;
}

fs::path find_idx(const fs::path& folder, DatasetPart part, const std::string& what) {
  std::vector<fs::path> found = list_idx(folder, part, what);
  if (found.size() == 1) return found.front();
  throw DataError(folder.string(),
                  fmt::format("{} files of {} {} are there (named as train-{}-idx3-ubyte); one is expected",
                              found.size(), part == DatasetPart::train ? "train" : "test", what, what));
}

}  // namespace

LabeledPixels read_idx_images(const fs::path& images, const fs::path& labels) {
  IdxArray pixels = read_idx(images);
  check_images(pixels, images);
  LabeledPixels read{.origin = images.string(),
                     .size = {static_cast<int>(pixels.shape[2]), static_cast<int>(pixels.shape[1])},
                     .channels = pixels.shape.size() == 3 ? 1 : kChannels,
                     .pixels = std::move(pixels.bytes),
                     .labels = to_labels(read_idx(labels), labels)};
  if (read.labels.size() == pixels.shape[0]) return read;
  throw DataError(labels.string(), fmt::format("it holds {} labels, but {} holds {} images",
                                               read.labels.size(), images.string(), pixels.shape[0]));
}

LabeledPixels read_idx_images(const fs::path& folder, DatasetPart part) {
  return listing(
      [&] { return read_idx_images(find_idx(folder, part, "images"), find_idx(folder, part, "labels")); });
}

bool detail::has_idx_images(const fs::path& folder, DatasetPart part) {
  return listing([&] { return !list_idx(folder, part, "images").empty(); });
}

}  // namespace leat
