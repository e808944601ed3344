#include "leat/datasets/labeled_pixels.h"

#include "leat/datasets/formats/arrays/pixel_source.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/image_dataset.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/gzip.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// `count` images of 2 rows of 3 pixels; pixel p of image i is 10 i + p, its label is 7 - i.
void write_mnist(const TemporaryFolder& folder, std::uint32_t count, const std::string& prefix) {
  FileBytes images, labels;
  images.u32(0x03080000).big(count).big(std::uint32_t{2}).big(std::uint32_t{3});
  labels.u32(0x01080000).big(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t p = 0; p < 6; ++p) images.u8(10 * i + p);
    labels.u8(7 - i);
  }
  folder.write(prefix + "-images-idx3-ubyte", images);
  folder.write(prefix + "-labels-idx1-ubyte.gz", gzipped(labels));
}

// A CIFAR record: plane c, pixel p is (c * 80 + p) modulo 256.
FileBytes& cifar_record(FileBytes& file, std::initializer_list<unsigned> labels) {
  for (const unsigned label : labels) file.u8(label);
  for (unsigned c = 0; c < 3; ++c) {
    for (unsigned p = 0; p < 1024; ++p) file.u8((c * 80 + p) & 255);
  }
  return file;
}

}  // namespace

TEST_CASE("MNIST's files become images and labels") {
  const TemporaryFolder folder;
  write_mnist(folder, 4, "train");
  write_mnist(folder, 2, "t10k");
  const InMemoryDataset train = to_dataset(read_idx_images(folder.path(), DatasetPart::train));
  CHECK(train.size() == 4);
  CHECK(train.schema()[0].shape == Shape{2, 3});
  const OneSample sample(train, 2);
  CHECK(sample.values<std::uint8_t>(0) == std::vector<std::uint8_t>{20, 21, 22, 23, 24, 25});
  CHECK(sample.values<std::int64_t>(1) == std::vector<std::int64_t>{5});
  CHECK(read_idx_images(folder.path(), DatasetPart::test).labels == std::vector<std::int64_t>{7, 6});
}

TEST_CASE("IDX files that do not belong together are refused") {
  const TemporaryFolder folder;
  expect_error<DataError>([&] { read_idx_images(folder.path(), DatasetPart::train); }, {"0 files"});
  write_mnist(folder, 4, "train");
  write_mnist(folder, 3, "t10k");
  const auto images = folder / "train-images-idx3-ubyte", labels = folder / "t10k-labels-idx1-ubyte.gz";
  expect_error<DataError>([&] { read_idx_images(images, labels); }, {"3 labels", "4 images"});
  expect_error<DataError>([&] { read_idx_images(labels, labels); }, {"u8 [3]", "images are"});
  expect_error<DataError>([&] { read_idx_images(images, images); }, {"labels are u8 or i32 [n]"});
  write_mnist(folder, 1, "other-train");
  expect_error<DataError>([&] { read_idx_images(folder.path(), DatasetPart::train); }, {"2 files"});
}

TEST_CASE("gray pixels go through the transforms as RGB") {
  const TemporaryFolder folder;
  write_mnist(folder, 4, "train");
  const auto source = std::make_shared<PixelSource>(read_idx_images(folder.path(), DatasetPart::train));
  const ImageDataset records(source, CenterCrop(2, 1));
  const OneSample sample(records, 1);
  CHECK(sample.values<std::uint8_t>(0) == std::vector<std::uint8_t>{11, 11, 11, 14, 14, 14});
  CHECK(sample.values<std::int64_t>(1) == std::vector<std::int64_t>{6});
  CHECK(records.label_of(3) == 4);
  expect_error<ArgumentError>([&] { records.label_of(4); }, {"there are 4"});
}

TEST_CASE("CIFAR-10's planes become interleaved pixels, with the names of the classes") {
  const TemporaryFolder folder;
  FileBytes batch;
  for (int i = 1; i <= 5; ++i)
    folder.write("data_batch_" + std::to_string(i) + ".bin", cifar_record(batch, {3}));
  const InMemoryDataset train = to_dataset(read_cifar(folder.path(), DatasetPart::train));
  CHECK(train.size() == 15);  // 1 + 2 + 3 + 4 + 5
  CHECK(train.schema()[0].shape == Shape{32, 32, 3});
  const auto pixels = OneSample(train, 14).values<std::uint8_t>(0);
  CHECK(pixels[0] == 0);
  CHECK(pixels[1] == 80);
  CHECK(pixels[3 * 1023 + 2] == ((160 + 1023) & 255));
  folder.write("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
  CHECK(read_cifar(folder.path(), DatasetPart::train).classes.at(3) == "d");
  folder.write("batches.meta.txt", "a\nb\n");
  expect_error<DataError>([&] { read_cifar(folder.path(), DatasetPart::train); }, {"2 classes, not 10"});
}

TEST_CASE("of CIFAR-100, the fine labels count") {
  const TemporaryFolder folder;
  FileBytes file;
  folder.write("test.bin", cifar_record(file, {2, 77}));
  const LabeledPixels images = read_cifar(folder.path(), DatasetPart::test);
  CHECK(images.labels == std::vector<std::int64_t>{77});
  CHECK(images.classes.empty());
  folder.write("test.bin", file.u8(1));
  expect_error<DataError>([&] { read_cifar(folder.path(), DatasetPart::test); }, {"test.bin", "3075 bytes"});
  FileBytes wrong;
  folder.write("test.bin", cifar_record(wrong, {2, 100}));
  expect_error<DataError>([&] { read_cifar(folder.path(), DatasetPart::test); },
                          {"record 0 is of class 100"});
  expect_error<DataError>([&] { read_cifar(folder.path(), DatasetPart::train); }, {"neither"});
}

}  // namespace leat::test
