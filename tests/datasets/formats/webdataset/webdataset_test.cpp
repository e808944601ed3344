#include "leat/datasets/formats/webdataset/webdataset.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "leat/datasets/formats/image_names.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "leat/datasets/image_dataset.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/tar_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

const WebDatasetOptions kUncached{.index = {.place = IndexPlace::nowhere}};

std::string flat_jpeg(int level) {
  const auto bytes = encode_jpeg(image_of({16, 8}, [&](int, int, int) { return level; }).view());
  return std::string(text_of(bytes));
}

// Two shards of three and two samples: gray images of level 10 * label.
std::string write_shards(const TemporaryFolder& folder) {
  TarBytes first, second;
  for (int label = 0; label < 5; ++label) {
    const std::string key = "dir/" + std::to_string(label), jpeg = flat_jpeg(10 * label);
    (label < 3 ? first : second).add({key + ".cls", std::to_string(label)}).add({key + ".jpg", jpeg});
  }
  folder.write("train-000000.tar", first.end().str());
  folder.write("train-000001.tar", second.end().str());
  return (folder / "train-{000000..000001}.tar").string();
}

}  // namespace

TEST_CASE("WebDataset's samples are fields by suffix") {
  const TemporaryFolder folder;
  const WebDatasetSource source(write_shards(folder), kUncached);
  REQUIRE(source.size() == 5);
  StoredSample sample;
  source.read(3, {}, sample);
  REQUIRE(sample.fields().size() == 2);
  CHECK(sample.fields()[0].name == "cls");
  CHECK(to_string(sample.fields()[0].encoding) == "str_int");
  CHECK(integer_of(sample.fields()[0]) == 3);
  CHECK(to_string(sample.fields()[1].encoding) == "jpeg");
  CHECK(sample.fields()[1].text() == flat_jpeg(30));
  CHECK(source.describe(3).find("train-000001.tar, sample 'dir/3'") != std::string::npos);
  source.read(0, FieldChoice({"cls"}), sample);
  CHECK(sample.fields().size() == 1);
  expect_error<ArgumentError>([&] { source.read(5, {}, sample); }, {"there are 5"});
}

TEST_CASE("WebDataset's images and classes are samples for training") {
  const TemporaryFolder folder;
  write_shards(folder);
  const ImageDataset records(std::make_shared<WebDatasetSource>(folder.path(), kUncached), CenterCrop(2));
  REQUIRE(records.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    const OneSample sample(records, i);
    CHECK(sample.values<std::uint8_t>(0) == std::vector<std::uint8_t>(12, static_cast<std::uint8_t>(10 * i)));
    CHECK(sample.values<std::int64_t>(1) == std::vector<std::int64_t>{std::int64_t(i)});
  }
}

TEST_CASE("a shard is indexed once, and again when it changes") {
  const TemporaryFolder folder, cache;
  const WebDatasetOptions options{.index = {.place = IndexPlace::cache, .folder = cache.path()}};
  const std::string where = write_shards(folder);
  CHECK(WebDatasetSource(where, options).size() == 5);
  // The second reading does not look at the shard: a header that is wrong goes unnoticed.
  const auto shard = folder / "train-000000.tar";
  const auto time = std::filesystem::last_write_time(shard);
  std::fstream(shard, std::ios::in | std::ios::out | std::ios::binary) << "\x1f\x8b";  // as of gzip's
  std::filesystem::last_write_time(shard, time);
  CHECK(WebDatasetSource(where, options).size() == 5);
  folder.write("train-000000.tar", TarBytes().add({"a.cls", "1"}).end().str());
  CHECK(WebDatasetSource(where, options).size() == 3);
}

TEST_CASE("what WebDataset's fields may not be") {
  const TemporaryFolder folder;
  const auto path = folder.write("a.tar", TarBytes()
                                              .add({"0.pkl", "x"})
                                              .add({"0.png", "GIF89a..."})
                                              .add({"0.cls", "1"})
                                              .add({"0.long", "0123456789"})
                                              .end()
                                              .str());
  const auto source = std::make_shared<WebDatasetSource>(
      path, WebDatasetOptions{.index = {.place = IndexPlace::nowhere}, .max_member_bytes = 9});
  StoredSample sample;
  expect_error<DataError>([&] { source->read(0, FieldChoice({"pkl"}), sample); },
                          {"a.tar", ".pkl", "pickle"});
  expect_error<DataError>([&] { source->read(0, FieldChoice({"long"}), sample); },
                          {"10 bytes, the limit is 9"});
  const auto all = std::make_shared<WebDatasetSource>(path, kUncached);
  const ImageDataset records(all, CenterCrop(2), {.fields = {"png", "cls"}, .decode = {}});
  expect_error<DataError>([&] { OneSample(records, 0); }, {"sample '0'", "GIF file"});
  const ImageDataset absent(all, CenterCrop(2), {.fields = {"seg.jpg", "cls"}, .decode = {}});
  expect_error<DataError>([&] { OneSample(absent, 0); }, {"sample '0'", "no field 'seg.jpg'"});
}

TEST_CASE("images that are called by their kind are one field, for records and for conversion") {
  const TemporaryFolder folder;
  const Image image = image_of({4, 3}, [](int, int, int) { return 77; });
  const std::string jpeg(text_of(encode_jpeg(image.view()))), png(text_of(encode_png(image.view())));
  const auto path = folder.write("a.tar", TarBytes()
                                              .add({"0.cls", "1"})
                                              .add({"0.jpg", jpeg})
                                              .add({"0.seg.png", "mask"})
                                              .add({"1.cls", "2"})
                                              .add({"1.png", png})
                                              .add({"1.seg.png", "mask"})
                                              .end()
                                              .str());
  const auto source = std::make_shared<WebDatasetSource>(path, kUncached);
  const ImageDataset records(source, CenterCrop(2), {.fields = {"jpg", "cls"}, .decode = {}});
  for (std::size_t i = 0; i < 2; ++i) {
    const OneSample sample(records, i);
    CHECK(sample.values<std::uint8_t>(0).at(0) == 77);
    CHECK(sample.values<std::int64_t>(1).at(0) == std::int64_t(i) + 1);
  }
  CHECK(other_image_names("a.b.png") == std::vector<std::string>{"a.b.jpg", "a.b.jpeg"});
  CHECK(other_image_names("jpgs").empty());
}

TEST_CASE("a shard that is replaced by a shorter one is an error") {
  const TemporaryFolder folder;
  const WebDatasetSource source(write_shards(folder), kUncached);
  folder.write("train-000000.tar", "");
  StoredSample sample;
  expect_error<DataError>([&] { source.read(0, {}, sample); }, {"train-000000.tar", "when it was indexed"});
  source.read(4, {}, sample);
}

}  // namespace leat::test
