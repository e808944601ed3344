#include "leat/datasets/formats/tfrecord/tfrecord.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/formats/tfrecord/tfrecord_index.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image_dataset.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/hostile.h"
#include "tests/datasets/support/tfrecord_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

const TfRecordOptions kUncached{.index = {.place = IndexPlace::nowhere}};

void read_all(const std::filesystem::path& path) {
  const TfRecordSource source(path, kUncached);
  StoredSample sample;
  for (std::size_t i = 0; i < source.size(); ++i) source.read(i, {}, sample);
}

}  // namespace

TEST_CASE("the framing is TensorFlow's, to the byte") {
  CHECK(tfrecord("abc") == FileBytes().u64(3).big(0xb099490eU).text("abc").big(0x6e57f121U).str());
  CHECK(tfrecord("") == FileBytes().u64(0).big(0x29039807U).big(0xd8ea82a2U).str());
}

TEST_CASE("records of several files, as Examples or as they are") {
  const TemporaryFolder folder, cache;
  folder.write("a.tfrecord",
               tfrecord(example({int_feature("y", {1})})) + tfrecord(example({int_feature("y", {2})})));
  folder.write("b.tfrecord", "");
  folder.write("c.tfrecord", tfrecord(example({int_feature("y", {3})})));
  TfRecordOptions options{.index = {.place = IndexPlace::cache, .folder = cache.path()}};
  for (int time = 0; time < 2; ++time) {  // the second time from the kept index
    const TfRecordSource source(folder.path(), options);
    REQUIRE(source.size() == 3);
    StoredSample sample;
    for (std::size_t i = 0; i < 3; ++i) {
      source.read(i, {}, sample);
      CHECK(integer_of(*sample.find("y")) == static_cast<std::int64_t>(i + 1));
    }
    CHECK(source.describe(2).find("c.tfrecord, record 0 (at offset 0)") != std::string::npos);
  }
  options.parse_examples = false;
  StoredSample sample;
  TfRecordSource(folder.path(), options).read(1, {}, sample);
  CHECK(sample.fields()[0].text() == example({int_feature("y", {2})}));
}

TEST_CASE("TFRecord's images are samples for training") {
  const TemporaryFolder folder;
  const auto jpeg = encode_jpeg(image_of({16, 8}, [](int, int, int) { return 77; }).view());
  folder.write("a.tfrecord",
               tfrecord(example({bytes_feature("image/encoded", {std::string(text_of(jpeg))}),
                                 int_feature("image/class/label", {42}), int_feature("image/height", {8})})));
  const ImageDataset records(std::make_shared<TfRecordSource>(folder.path(), kUncached), CenterCrop(1));
  const OneSample sample(records, 0);
  CHECK(sample.values<std::uint8_t>(0) == std::vector<std::uint8_t>{77, 77, 77});
  CHECK(sample.values<std::int64_t>(1) == std::vector<std::int64_t>{42});
}

TEST_CASE("damaged TFRecord files are refused") {
  const TemporaryFolder folder;
  std::string bytes = tfrecord("first") + tfrecord("second");
  bytes[bytes.size() - 7] ^= 1;
  const TfRecordSource source(folder.write("a.tfrecord", bytes), kUncached);
  StoredSample sample;
  expect_error<DataError>([&] { source.read(1, {}, sample); },
                          {"a.tfrecord, record 1 (at offset 21)", "data's checksum"});
  bytes[21] ^= 1;
  expect_error<DataError>([&] { TfRecordSource(folder.write("a.tfrecord", bytes), kUncached); },
                          {"a.tfrecord", "record 1 at offset 21", "length's checksum"});
  expect_error<DataError>([&] { TfRecordSource(folder.write("z.tfrecord", "\x1f\x8b" + bytes), kUncached); },
                          {"compressed as a whole"});
  const TfRecordSource small(folder.write("b.tfrecord", tfrecord("0123")),
                             {.index = {.place = IndexPlace::nowhere}, .max_record_bytes = 3});
  expect_error<DataError>([&] { small.read(0, {}, sample); }, {"4 bytes, the limit is 3"});
}

TEST_CASE("a TFRecord file with an end too early or a wrong byte ends in an error, not in a crash") {
  const std::string sound = tfrecord(
      example({int_feature("a", {1, 2}), float_feature("b", {1.0F}), bytes_feature("c", {"x", "y"})}));
  expect_truncations_refused(sound, read_all, 1);  // an empty file holds no records
  CHECK(survive_wrong_bytes(sound, read_all) > 0);
}

}  // namespace leat::test
