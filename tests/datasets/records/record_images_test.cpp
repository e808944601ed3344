#include "leat/datasets/records/record_images.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "leat/datasets/image/jpeg_encoder.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/shards/image_folder_source.h"
#include "leat/datasets/shards/record_source.h"
#include "leat/loader/data_loader.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/records/arithmetic_records.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

namespace fs = std::filesystem;

namespace {

int pixel(int x, int y, int channel, int i) {
  return (x * 3 + y * 5 + channel * 40 + i * 11) % 256;
}

Image picture(int i) {
  return image_of({40 + i, 30 + 2 * i}, [i](int x, int y, int channel) { return pixel(x, y, channel, i); });
}

// Twelve JPEGs in three classes.
void write_folder(const TemporaryFolder& folder) {
  for (int i = 0; i < 12; ++i) {
    const auto jpeg = encode_jpeg(picture(i).view());
    folder.write(std::string("images/") + "abc"[i % 3] + "/" + std::to_string(i) + ".jpg",
                 {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
  }
}

void convert(const ConversionSource& source, const fs::path& target) {
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

TEST_CASE("pictures from records are the image folder's, byte for byte") {
  const TemporaryFolder folder;
  write_folder(folder);
  convert(ImageFolderSource(folder / "images"), folder / "set");
  const Normalize normalize({0.5F, 0.4F, 0.3F}, {0.2F, 0.3F, 0.4F});
  for (const TransformPipeline& transforms :
       {RandomResizedCrop{16} | RandomHorizontalFlip{}, RandomResizedCrop{16} | normalize,
        RandomCrop(16, {.padding = 8}) | ColorJitter{0.5, 0.5, 0.5, 0.5} | RandAugment{} | RandomErasing{} |
            normalize}) {
    const ImageFolder files(folder / "images", transforms);
    const RecordImages records(folder / "set", transforms);
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
  const ImageFolderSource files(folder / "images");
  convert(files, folder / "set");
  convert(RecordSource(folder / "set"), folder / "again");
  const RecordSource again(folder / "again");
  REQUIRE(again.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(again.read(i).fields == files.read(i).fields);
    const std::string path = files.describe(i);
    CHECK(again.read(i).fields[ImageFolderSource::kImage] == bytes_of(content_of(path)));
    CHECK(bytes_of(path.substr((folder / "images/").string().size())) ==
          again.read(i).fields[ImageFolderSource::kName]);
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
  const RecordImages images(folder / "set");
  CHECK(images.schema()[0].shape == Shape{4, 6, 3});
  for (std::size_t i = 0; i < 5; ++i) {
    const OneSample sample(images, i);
    CHECK(sample.values<std::uint8_t>(0) == expected[i]);
    CHECK(sample.values<std::int64_t>(1).at(0) == static_cast<std::int64_t>(i));
  }
  // The size that all have is known, so transforms that keep it suffice.
  const RecordImages inverted(folder / "set", RandomInvert{1});
  CHECK(inverted.schema()[0].shape == Shape{4, 6, 3});
  const auto values = OneSample(inverted, 4).values<std::uint8_t>(0);
  for (std::size_t k = 0; k < values.size(); ++k) CHECK(values[k] == 255 - expected[4][k]);
  CHECK(RecordImages(folder / "set", Pad{{1, 2}}).schema()[0].shape == Shape{8, 8, 3});
}

TEST_CASE("stored pixels of different sizes go through the transforms") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", pixels_schema(true), {.alignment = 64});
  for (int i = 0; i < 5; ++i) {
    const Image image = picture(i);
    const auto width = static_cast<std::uint32_t>(image.size().width),
               height = static_cast<std::uint32_t>(image.size().height);
    const std::uint8_t* const first = image.view().data;
    writer.add({{bytes_of(std::vector<std::int64_t>{i}), bytes_of(std::vector{height, width}),
                 bytes_of(std::vector<std::uint8_t>(first, first + std::size_t{3} * width * height))}});
  }
  writer.finish();
  const RecordImages images(folder / "set", CenterCrop{20});
  for (int i = 0; i < 5; ++i) {
    const auto pixels = OneSample(images, static_cast<std::size_t>(i)).values<std::uint8_t>(0);
    const int left = (40 + i - 20) / 2, top = (30 + 2 * i - 20) / 2;
    INFO("picture " << i);
    for (int y = 0; y < 20; ++y) {
      const bool odd =
          (40 + i - 20) % 2 != 0;  // the half pixel goes where CenterCrop says; compare the others
      if (!odd) CHECK(pixels[std::size_t(y) * 60] == pixel(left, top + y, 0, i));
    }
  }
  expect_error<ArgumentError>([&] { RecordImages(folder / "set"); }, {"not pixels of one size"});
}

TEST_CASE("a size that is not the pixels' is refused") {
  const TemporaryFolder folder;
  RecordWriter writer(folder / "set", pixels_schema(true));
  writer.add({{bytes_of(std::vector<std::int64_t>{0}), bytes_of(std::vector<std::uint32_t>{4, 5}),
               std::vector<std::byte>(3 * 19)}});
  writer.finish();
  const RecordImages images(folder / "set", Resize{8, 8});
  expect_error<DataError>([&] { OneSample(images, 0); }, {"record 0", "5 x 4", "19 pixels"});
}

TEST_CASE("records without pictures are no images") {
  const TemporaryFolder folder;
  write_mixed(folder / "set", 3);
  expect_error<DataError>([&] { RecordImages(folder / "set", Resize{8, 8}); }, {"set", "no pictures"});
}

TEST_CASE("loaders of any number of workers deliver the same pictures from records", "[process]") {
  const TemporaryFolder folder;
  write_folder(folder);
  convert(ImageFolderSource(folder / "images"), folder / "set");
  const RecordImages images(folder / "set", RandomResizedCrop{16});
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
