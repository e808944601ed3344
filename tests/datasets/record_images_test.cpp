#include "leat/datasets/image_dataset.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/record_conversion.h"
#include "leat/datasets/formats/records/record_source.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/open.h"
#include "leat/loader/data_loader.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

using namespace leat::detail;

namespace fs = std::filesystem;

namespace {

int pixel(int x, int y, int channel, int i) {
  return (x * 3 + y * 5 + channel * 40 + i * 11) % 256;
}

Image image_number(int i) {
  return image_of({40 + i, 30 + 2 * i}, [i](int x, int y, int channel) { return pixel(x, y, channel, i); });
}

// Twelve JPEGs in three classes.
void write_folder(const TemporaryFolder& folder) {
  for (int i = 0; i < 12; ++i) {
    const auto jpeg = encode_jpeg(image_number(i).view());
    folder.write(std::string("images/") + "abc"[i % 3] + "/" + std::to_string(i) + ".jpg",
                 {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
  }
}

template <class Source>
RecordConversion conversion_of(const fs::path& path) {
  return RecordConversion(std::make_shared<Source>(path));
}

ImageDataset images_of(const fs::path& path, std::optional<TransformPipeline> transforms = {}) {
  return ImageDataset(open_source("leat:" + path.string()), std::move(transforms));
}

void convert(const RecordConversion& source, const fs::path& target) {
  RecordWriter writer(target, source.schema(), {.shard_bytes = 20'000});
  for (std::size_t i = 0; i < source.size(); ++i) writer.add(source.read(i));
  writer.finish();
}

RecordSchema pixels_schema(bool ragged) {
  if (!ragged)
    return RecordSchema({{{"image", DType::u8, {4, 6, 3}}, Content::rgb}, {{"label", DType::i64, {}}}});
  return RecordSchema(
      {{{"label", DType::i64, {}}},
       {{"image_size", DType::u32, {2}}},
       {Field::ragged("image", DType::u8, {.max_length = 1 << 20, .element = {3}}), Content::rgb}});
}

}  // namespace

TEST_CASE("images from records are the image folder's, byte for byte") {
  const TemporaryFolder folder;
  write_folder(folder);
  convert(conversion_of<ImageFolderSource>(folder / "images"), folder / "set");
  const Normalize normalize({0.5F, 0.4F, 0.3F}, {0.2F, 0.3F, 0.4F});
  for (const TransformPipeline& transforms :
       {RandomResizedCrop{16} | RandomHorizontalFlip{}, RandomResizedCrop{16} | normalize,
        RandomCrop(16, {.padding = 8}) | ColorJitter{0.5, 0.5, 0.5, 0.5} | RandAugment{} | RandomErasing{} |
            normalize}) {
    const ImageFolder files(folder / "images", transforms);
    const ImageDataset records = images_of(folder / "set", transforms);
    REQUIRE(records.size() == files.size());
    CHECK(records.classes() == files.classes());
    CHECK(records.schema()[0].dtype == files.schema()[0].dtype);
    CHECK(records.schema()[0].shape == files.schema()[0].shape);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const OneSample a(files, i), b(records, i);
      CHECK(a.bytes(0) == b.bytes(0));
      CHECK(a.bytes(1) == b.bytes(1));
      CHECK(records.label_of(i) == files.label_of(i));
    }
  }
}

TEST_CASE("from folder to records and to records again, each file's bytes stay what they are") {
  const TemporaryFolder folder;
  write_folder(folder);
  const RecordConversion files = conversion_of<ImageFolderSource>(folder / "images");
  convert(files, folder / "set");
  convert(conversion_of<RecordSource>(folder / "set"), folder / "again");
  const RecordConversion again = conversion_of<RecordSource>(folder / "again");
  REQUIRE(again.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(again.read(i).fields == files.read(i).fields);
    const std::string path = files.describe(i);
    CHECK(again.read(i).fields[1] == bytes_of(content_of(path)));
    CHECK(bytes_of(path.substr((folder / "images/").string().size())) == again.read(i).fields[2]);
  }
}

TEST_CASE("stored pixels of one size arrive unchanged without transforms") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", pixels_schema(false), {.alignment = 64});
  std::vector<std::vector<std::uint8_t>> expected;
  for (int i = 0; i < 5; ++i) {
    expected.emplace_back();
    for (int k = 0; k < 4 * 6 * 3; ++k) expected.back().push_back(static_cast<std::uint8_t>(k * 7 + i));
    writer.add({{bytes_of(expected.back()), bytes_of(std::vector<std::int64_t>{i})}});
  }
  writer.finish();
  const ImageDataset images = images_of(folder / "set");
  CHECK(images.schema()[0].shape == Shape{4, 6, 3});
  for (std::size_t i = 0; i < 5; ++i) {
    const OneSample sample(images, i);
    CHECK(sample.values<std::uint8_t>(0) == expected[i]);
    CHECK(sample.values<std::int64_t>(1).at(0) == static_cast<std::int64_t>(i));
  }
  // The size that all have is known, so transforms that keep it suffice.
  const ImageDataset inverted = images_of(folder / "set", RandomInvert{1});
  CHECK(inverted.schema()[0].shape == Shape{4, 6, 3});
  const auto values = OneSample(inverted, 4).values<std::uint8_t>(0);
  for (std::size_t k = 0; k < values.size(); ++k) CHECK(values[k] == 255 - expected[4][k]);
  CHECK(images_of(folder / "set", Pad{{1, 2}}).schema()[0].shape == Shape{8, 8, 3});
}

TEST_CASE("stored pixels of different sizes go through the transforms") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", pixels_schema(true), {.alignment = 64});
  for (int i = 0; i < 5; ++i) {
    const Image image = image_number(i);
    const auto width = static_cast<std::uint32_t>(image.size().width),
               height = static_cast<std::uint32_t>(image.size().height);
    const std::uint8_t* const first = image.view().data;
    writer.add({{bytes_of(std::vector<std::int64_t>{i}), bytes_of(std::vector{height, width}),
                 bytes_of(std::vector<std::uint8_t>(first, first + std::size_t{3} * width * height))}});
  }
  writer.finish();
  const ImageDataset images = images_of(folder / "set", CenterCrop{20});
  for (int i = 0; i < 5; ++i) {
    const auto pixels = OneSample(images, static_cast<std::size_t>(i)).values<std::uint8_t>(0);
    const int left = (40 + i - 20) / 2, top = (30 + 2 * i - 20) / 2;
    INFO("image " << i);
    for (int y = 0; y < 20; ++y) {
      const bool odd =
          (40 + i - 20) % 2 != 0;  // the half pixel goes where CenterCrop says; compare the others
      if (!odd) CHECK(pixels[std::size_t(y) * 60] == pixel(left, top + y, 0, i));
    }
  }
  expect_error<ArgumentError>([&] { images_of(folder / "set"); }, {"not pixels of one size"});
}

TEST_CASE("a size that is not the pixels' is refused") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", pixels_schema(true));
  writer.add({{bytes_of(std::vector<std::int64_t>{0}), bytes_of(std::vector<std::uint32_t>{4, 5}),
               std::vector<std::byte>(3 * 19)}});
  writer.finish();
  const ImageDataset images = images_of(folder / "set", Resize{8, 8});
  expect_error<DataError>([&] { OneSample(images, 0); }, {"record 0", "5 x 4", "19 pixels"});
}

TEST_CASE("records without images are no images") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 3);
  expect_error<DataError>([&] { images_of(folder / "set", Resize{8, 8}); }, {"set", "image is not clear"});
}

TEST_CASE("damaged pixels are refused, with transforms and without") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", pixels_schema(false),
                      {.alignment = 64, .zstd = RecordWriterOptions::Zstd::off});
  for (std::int64_t i = 0; i < 3; ++i)
    writer.add({{std::vector<std::byte>(4 * 6 * 3, std::byte{9}), bytes_of(std::vector<std::int64_t>{i})}});
  writer.finish();
  const std::uint64_t offset = RecordSet(folder / "set").shard(0).entry(1).offset;
  std::string shard = content_of(folder / "set/shard-00000.leat");
  shard[offset + 5] ^= 1;
  replace_content(folder / "set/shard-00000.leat", shard);
  for (const auto& transforms :
       {std::optional<TransformPipeline>(), std::optional<TransformPipeline>(RandomCrop(2))}) {
    const ImageDataset dataset = images_of(folder / "set", transforms);
    OneSample(dataset, 0);
    expect_error<DataError>([&] { OneSample(dataset, 1); }, {"record 1", "checksum"});
    CHECK(dataset.label_of(1) == 1);
  }
}

TEST_CASE("of records with several images and numbers, the first JPEG and the label are delivered") {
  const TemporaryFolder folder;
  const auto jpeg = encode_jpeg(image_number(3).view());
  RecordWriter writer(folder / "set", RecordSchema({{{"cls", DType::i64, {}}},
                                                    {{"label", DType::i64, {}}},
                                                    {Field::text("front", 1 << 20), Content::jpeg},
                                                    {Field::text("back", 1 << 20), Content::jpeg}}));
  writer.add({{bytes_of(std::vector<std::int64_t>{5}), bytes_of(std::vector<std::int64_t>{6}), jpeg, jpeg}});
  writer.finish();
  const ImageDataset dataset = images_of(folder / "set", CenterCrop(8));
  CHECK(dataset.fields() == ImageFields{"front", "label"});
  CHECK(dataset.label_of(0) == 6);
}

TEST_CASE("of records with JPEGs and pixels, the JPEGs are delivered") {
  const TemporaryFolder folder;
  const auto jpeg = encode_jpeg(image_number(3).view());
  RecordWriter writer(folder / "set", RecordSchema({{{"small", DType::u8, {1, 2, 3}}, Content::rgb},
                                                    {{"label", DType::i64, {}}},
                                                    {Field::text("photo", 1 << 20), Content::jpeg}}));
  writer.add({{std::vector<std::byte>(6), bytes_of(std::vector<std::int64_t>{6}), jpeg}});
  writer.finish();
  CHECK(images_of(folder / "set", CenterCrop(8)).fields() == ImageFields{"photo", "label"});
}

TEST_CASE("a label of any integer type is delivered as i64") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", RecordSchema({{{"image", DType::u8, {1, 2, 3}}, Content::rgb},
                                                    {{"species", DType::u8, {}}, Content::values}}));
  writer.add({{bytes_of(std::string("abcdef")), bytes_of(std::vector<std::uint8_t>{200})}});
  writer.finish();
  const ImageDataset images(open_source("leat:" + (folder / "set").string()), {},
                            {.fields = {"image", "species"}, .decode = {}});
  const OneSample sample(images, 0);
  CHECK(sample.bytes(0) == bytes_of(std::string("abcdef")));
  CHECK(sample.values<std::int64_t>(1) == std::vector<std::int64_t>{200});
}

TEST_CASE("records that were replaced in their place have another fingerprint") {
  const TemporaryFolder folder;
  for (const char* const path : {"set", "set/shard-00000.leat"}) {
    INFO(path);
    const auto fingerprint_of = [&](std::size_t number) {
      fs::remove_all(folder / "set");
      RecordWriter writer(folder / "set", mixed_schema());
      writer.add(mixed_sample(number));
      writer.finish();
      return RecordSource(folder / path).fingerprint();
    };
    const auto first = fingerprint_of(1);
    CHECK(fingerprint_of(6) != first);
    CHECK(fingerprint_of(1) == first);
  }
}

TEST_CASE("loaders of any number of workers deliver the same images from records", "[process]") {
  const TemporaryFolder folder;
  write_folder(folder);
  convert(conversion_of<ImageFolderSource>(folder / "images"), folder / "set");
  const ImageDataset images = images_of(folder / "set", RandomResizedCrop{16});
  std::vector<std::vector<std::uint8_t>> batches[2];
  for (const int workers : {0, 2}) {
    DataLoader loader(images, {.batch_size = 5, .shuffle = true, .num_workers = workers, .seed = 3});
    while (const auto batch = loader.next()) {
      const auto pixels = (*batch)["image"].as<std::uint8_t>();
      batches[workers / 2].emplace_back(pixels.begin(), pixels.end());
    }
  }
  CHECK(batches[0].size() == 3);
  CHECK(batches[0] == batches[1]);
}

}  // namespace leat::test
