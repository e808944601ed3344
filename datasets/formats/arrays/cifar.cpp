#include <fmt/format.h>

#include <array>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/arrays/pixel_source.h"
#include "leat/datasets/io/file_reader.h"
#include "leat/datasets/io/listing.h"

namespace leat {

using namespace detail;

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kEdge = 32, kPlane = kEdge * kEdge, kImageBytes = 3 * kPlane;
constexpr std::uint64_t kMaxFile = std::uint64_t{4} << 30;

// Throws SystemError if the path cannot be examined.
bool is_there(const fs::path& path) {
  return listing([&] { return fs::exists(path); });
}

struct Variant {
  std::size_t label_bytes;  // before the pixels; the last one is used
  std::int64_t classes;
  const char* names;
  std::vector<std::string> files;
};

Variant variant_of(const fs::path& folder, DatasetPart part) {
  if (is_there(folder / "data_batch_1.bin") || is_there(folder / "test_batch.bin")) {
    if (part == DatasetPart::test) return {1, 10, "batches.meta.txt", {"test_batch.bin"}};
    std::vector<std::string> files;
    for (int batch = 1; batch <= 5; ++batch) files.push_back(fmt::format("data_batch_{}.bin", batch));
    return {1, 10, "batches.meta.txt", std::move(files)};
  }
  const std::string file = part == DatasetPart::train ? "train.bin" : "test.bin";
  if (is_there(folder / file)) return {2, 100, "fine_label_names.txt", {file}};
  throw DataError(folder.string(),
                  fmt::format("it holds neither data_batch_1.bin (CIFAR-10) nor {} (CIFAR-100)", file));
}

// Appends planes as interleaved pixels.
void append_image(std::span<const std::byte> planes, std::vector<std::byte>& pixels) {
  for (std::size_t i = 0; i < kPlane; ++i) {
    for (std::size_t c = 0; c < 3; ++c) pixels.push_back(planes[c * kPlane + i]);
  }
}

void append_file(const fs::path& path, const Variant& variant, LabeledPixels& images) {
  const FileReader file(path);
  const std::size_t record = variant.label_bytes + kImageBytes;
  if (file.size() % record != 0 || file.size() > kMaxFile) {
    throw DataError(file.path(),
                    fmt::format("its {} bytes are no whole number of records of {} bytes, or more than {}",
                                file.size(), record, kMaxFile));
  }
  std::vector<std::byte> bytes;
  file.read(0, file.size(), bytes);
  for (std::size_t at = 0; at < bytes.size(); at += record) {
    const auto label = std::to_integer<std::int64_t>(bytes[at + variant.label_bytes - 1]);
    if (label >= variant.classes) {
      throw DataError(file.path(), fmt::format("record {} is of class {}; there are {}", at / record, label,
                                               variant.classes));
    }
    images.labels.push_back(label);
    append_image(std::span(bytes).subspan(at + variant.label_bytes, kImageBytes), images.pixels);
  }
}

// Reads one name per line. Returns no names if there is no such file.
std::vector<std::string> read_names(const fs::path& path, std::int64_t classes) {
  if (!is_there(path)) return {};
  const FileReader file(path);
  std::vector<std::byte> bytes;
  file.read(0, std::min<std::uint64_t>(file.size(), 1 << 16), bytes);
  std::vector<std::string> names(1);
  for (const std::byte byte : bytes) {
    const char c = static_cast<char>(byte);
    if (c == '\n') {
      if (!names.back().empty()) names.emplace_back();
    } else if (c != '\r') {
      names.back() += c;
    }
  }
  if (names.back().empty()) names.pop_back();
  if (names.size() == static_cast<std::size_t>(classes)) return names;
  throw DataError(path.string(), fmt::format("it names {} classes, not {}", names.size(), classes));
}

}  // namespace

bool detail::has_cifar(const fs::path& folder, DatasetPart part) {
  const bool is_train = part == DatasetPart::train;
  std::error_code ignored;
  return fs::exists(folder / (is_train ? "data_batch_1.bin" : "test_batch.bin"), ignored) ||
         fs::exists(folder / (is_train ? "train.bin" : "test.bin"), ignored);
}

LabeledPixels read_cifar(const fs::path& folder, DatasetPart part) {
  const Variant variant = variant_of(folder, part);
  LabeledPixels images{
      .origin = folder.string(), .size = {kEdge, kEdge}, .channels = 3, .pixels = {}, .labels = {}};
  for (const std::string& file : variant.files) append_file(folder / file, variant, images);
  images.classes = read_names(folder / variant.names, variant.classes);
  return images;
}

}  // namespace leat
