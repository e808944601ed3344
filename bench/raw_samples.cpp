#include "bench/raw_samples.h"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bench/data_folder.h"
#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/image/codecs/jpeg_decoder.h"
#include "leat/datasets/image/image_loader.h"
#include "leat/datasets/image/transforms/transform_plan.h"
#include "leat/datasets/image_dataset.h"
#include "leat/datasets/open.h"
#include "leat/datasets/record_writer.h"
#include "leat/datasets/subset.h"
#include "leat/loader/data_loader.h"

namespace leat::bench {

using namespace detail;

namespace {

constexpr std::size_t kSamples = 600, kBatch = 64;
constexpr int kSize = 224, kWorkers = 2, kShortSide = 256;

template <class T>
std::vector<std::byte> bytes_of(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

RecordSchema pixels_schema() {
  constexpr std::size_t kMostPixels = std::size_t{1} << 24;
  return RecordSchema(
      {{{"label", DType::i64, {}}, Content::values},
       {{"image_size", DType::u32, {2}}, Content::values},
       {Field::ragged("image", DType::u8, {.max_length = kMostPixels, .element = {3}}), Content::rgb}});
}

// Returns the image, scaled to a shorter side of kShortSide.
Image scaled(std::span<const std::byte> jpeg) {
  JpegDecoder header;
  Rng unused(0, 0, 0);
  const TransformPipeline resize = Resize{kShortSide};
  Image image(detail::plan(resize, header.read_header(jpeg), unused).canvas.size());
  ImageLoader::of_this_thread().load(jpeg, resize, {}, unused, image.view());
  return image;
}

void write_pixels(const std::filesystem::path& images, const std::filesystem::path& folder) {
  const ImageFolderSource source(images);
  StoredSample sample;
  RecordWriter writer(folder, pixels_schema(), {.alignment = 64, .zstd = RecordWriterOptions::Zstd::off});
  for (std::size_t i = 0; i < source.size(); ++i) {
    source.read(i, {}, sample);
    const std::span<const std::byte> label = sample.find("label")->bytes();
    const Image image = scaled(sample.find("image")->bytes());
    const std::uint32_t extents[] = {static_cast<std::uint32_t>(image.size().height),
                                     static_cast<std::uint32_t>(image.size().width)};
    const std::size_t bytes = image.view().row_bytes() * extents[0];
    writer.add({{std::vector<std::byte>(label.begin(), label.end()),
                 bytes_of(std::span<const std::uint32_t>(extents)),
                 bytes_of(std::span<const std::uint8_t>(image.view().data, bytes))}});
  }
  writer.finish();
}

Epoch load(const std::filesystem::path& images) {
  struct Loading {
    std::unique_ptr<ImageDataset> records;
    std::unique_ptr<Subset> repeated;
    std::unique_ptr<DataLoader> loader;
  };
  const std::filesystem::path folder = data_folder("images-raw-256");
  std::filesystem::remove_all(folder);
  write_pixels(images, folder);
  auto loading = std::make_shared<Loading>();
  loading->records = std::make_unique<ImageDataset>(leat::open_source("leat:" + folder.string()),
                                                    RandomResizedCrop{kSize} | RandomHorizontalFlip{});
  std::vector<std::size_t> indices(kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) indices[i] = i % loading->records->size();
  loading->repeated = std::make_unique<Subset>(*loading->records, std::move(indices));
  loading->loader = std::make_unique<DataLoader>(
      *loading->repeated, DataLoaderOptions{.batch_size = kBatch, .shuffle = true, .num_workers = kWorkers});
  return [loading] {
    std::size_t samples = 0;
    while (const auto batch = loading->loader->next()) samples += batch->size();
    if (samples != kSamples) throw std::runtime_error("an epoch of pixels lost or doubled samples");
    return samples;
  };
}

}  // namespace

void add_raw_samples(const std::filesystem::path& folder, std::function<Epoch()> make_decoder) {
  add("raw 256, random-resized-crop 224, 2 workers", 4.6, std::move(make_decoder),
      [folder] { return load(folder); });
}

}  // namespace leat::bench
