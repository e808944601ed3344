#include "leat/datasets/image_folder.h"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// The file of an image of one gray level.
std::string plain_jpeg(int level, Size size = {32, 24}) {
  const auto jpeg = encode_jpeg(image_of(size, [&](int, int, int) { return level; }).view());
  return {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()};
}

const TransformPipeline kSmall = Resize{8} | CenterCrop{8};

int level_of(const ImageFolder& folder, std::size_t index) {
  return OneSample(folder, index).values<std::uint8_t>(0).at(0);
}

}  // namespace

TEST_CASE("classes and files are in byte order, below their folders, whatever order they were made in") {
  const TemporaryFolder folder;
  folder.write("dog/b.jpg", plain_jpeg(50));
  folder.write("dog/a.JPEG", plain_jpeg(40));
  folder.write("cat/z/1.jpg", plain_jpeg(30));
  folder.write("cat/a-b/1.jpg", plain_jpeg(20));
  folder.write("cat/a/c/1.Jpg", plain_jpeg(15));
  folder.write("cat/x.jpeg", plain_jpeg(10));
  folder.write("Zebra/1.jpg", plain_jpeg(0));
  folder.write("cat/notes.txt", "not an image");
  folder.write("cat/a/jpg", "no extension");
  folder.write("outside.jpg", plain_jpeg(255));

  const ImageFolder images(folder.path(), kSmall);
  CHECK(images.classes() == std::vector<std::string>{"Zebra", "cat", "dog"});
  REQUIRE(images.size() == 7);
  CHECK(images.ignored_files() == 2);
  const int levels[] = {0, 10, 20, 15, 30, 40, 50};  // "cat/a-b" comes before "cat/a/c": '-' is less than '/'
  const std::int64_t labels[] = {0, 1, 1, 1, 1, 2, 2};
  for (std::size_t i = 0; i < 7; ++i) {
    INFO(images.describe(i));
    CHECK(level_of(images, i) == levels[i]);
    CHECK(images.label_of(i) == labels[i]);
    CHECK(OneSample(images, i).values<std::int64_t>(1).at(0) == labels[i]);
  }
  CHECK(images.describe(5) == (folder / "dog/a.JPEG").string());
}

TEST_CASE("the fields' shapes come from the transforms") {
  const TemporaryFolder folder;
  folder.write("a/1.jpg", plain_jpeg(9));
  const ImageFolder images(folder.path(), Resize{6, 10});
  CHECK(images.schema()[0].name == "image");
  CHECK(images.schema()[0].shape == Shape{6, 10, 3});
  CHECK(images.schema()[0].dtype == DType::u8);
  CHECK(images.schema()[1].name == "label");
  CHECK(images.schema()[1].dtype == DType::i64);
  CHECK(OneSample(images, 0).values<std::uint8_t>(0) == std::vector<std::uint8_t>(180, 9));
}

TEST_CASE("a pipeline that normalizes makes f32 fields of planes") {
  const TemporaryFolder folder;
  folder.write("a/1.jpg", plain_jpeg(51));
  const ImageFolder images(folder.path(), Resize{6, 10} | Normalize{{0.5F, 0.25F, 0}, {0.5F, 0.5F, 0.5F}});
  CHECK(images.schema()[0].shape == Shape{3, 6, 10});
  CHECK(images.schema()[0].dtype == DType::f32);
  const std::vector<float> pixels = OneSample(images, 0).values<float>(0);
  REQUIRE(pixels.size() == 180);
  for (std::size_t i = 0; i < 180; ++i) {  // 51 / 255 is 0.2
    const float wanted = i < 60 ? -0.6F : i < 120 ? -0.1F : 0.4F;
    REQUIRE(std::abs(pixels[i] - wanted) < 1e-6F);
  }
}

TEST_CASE("a reducing gap is 0 or at least 1") {
  const TemporaryFolder folder;
  folder.write("a/1.jpg", plain_jpeg(9));
  for (const double gap : {-1.0, 0.5, std::nan(""), HUGE_VAL}) {
    expect_error<ArgumentError>([&] { ImageFolder(folder.path(), kSmall, {.reducing_gap = gap}); },
                                {"reducing gap"});
  }
  CHECK(level_of(ImageFolder(folder.path(), kSmall, {.reducing_gap = 1}), 0) == 9);
}

TEST_CASE("transforms that leave images different sizes are refused") {
  const TemporaryFolder folder;
  folder.write("a/1.jpg", plain_jpeg(9));
  expect_error<ArgumentError>([&] { ImageFolder(folder.path(), Resize{8}); },
                              {"different sizes", "CenterCrop"});
}

TEST_CASE("a folder without classes, or a class without images, is refused by name") {
  const TemporaryFolder folder;
  expect_error<SystemError>([&] { ImageFolder(folder / "nowhere", kSmall); }, {"nowhere", "No such file"});
  folder.write("1.jpg", plain_jpeg(9));
  expect_error<DataError>([&] { ImageFolder(folder.path(), kSmall); },
                          {folder.path().string(), "no class folders"});
  folder.write("a/1.jpg", plain_jpeg(9));
  folder.write("b/1.gif", "gif");
  expect_error<DataError>([&] { ImageFolder(folder.path(), kSmall); },
                          {"/b", "no images", "1 others", "allow_empty"});
}

TEST_CASE("a class without images keeps its label where that is allowed") {
  const TemporaryFolder folder;
  folder.write("a/1.jpg", plain_jpeg(5));
  folder.write("b/1.gif", "gif");
  folder.write("c/1.jpg", plain_jpeg(7));
  std::filesystem::create_directory(folder / "d");
  const ImageFolder images(folder.path(), kSmall, {.allow_empty = true});
  CHECK(images.classes() == std::vector<std::string>{"a", "b", "c", "d"});
  REQUIRE(images.size() == 2);
  CHECK(images.label_of(1) == 2);
  CHECK(level_of(images, 1) == 7);
  CHECK(images.describe(1).find("c/1.jpg") != std::string::npos);
}

TEST_CASE("links that lead nowhere are left out, and counted") {
  const TemporaryFolder folder;
  folder.write("a/1.jpg", plain_jpeg(5));
  std::filesystem::create_symlink(folder / "nowhere", folder / "a/0.jpg");
  std::filesystem::create_symlink(folder / "a/3.jpg", folder / "a/3.jpg");
  std::filesystem::create_directory_symlink(folder / "nowhere", folder / "b");
  std::filesystem::create_symlink(folder / "a/1.jpg", folder / "a/2.jpg");
  const ImageFolder images(folder.path(), kSmall);
  REQUIRE(images.size() == 2);
  CHECK(level_of(images, 1) == 5);
  CHECK(images.classes() == std::vector<std::string>{"a"});
  CHECK(images.broken_links() == 3);
  CHECK(images.warnings() ==
        "3 links that lead nowhere were left out; the first is " + (folder / "a/0.jpg").string());
}

TEST_CASE("a link whose target cannot be looked at is an error that names it") {
  const TemporaryFolder folder;
  folder.write("a/1.jpg", plain_jpeg(5));
  for (const char* name : {"a/0.jpg", "b"}) {
    const std::filesystem::path link = folder / name;
    // A name that the file system does not take is neither absent nor a circle.
    std::filesystem::create_symlink(std::string(300, 'x'), link);
    expect_error<SystemError>([&] { ImageFolder(folder.path(), kSmall); },
                              {link.string(), "File name too long"});
    std::filesystem::remove(link);
  }
  CHECK(ImageFolder(folder.path(), kSmall).broken_links() == 0);
}

TEST_CASE("an error of a file names its path once") {
  const TemporaryFolder folder;
  folder.write("a/0.jpg", plain_jpeg(9));
  const std::string path = (folder / "a/0.jpg").string();
  const ImageFolder images(folder.path(), kSmall, {.max_file_bytes = 10});
  const std::string text = expect_error<DataError>([&] { OneSample(images, 0); });
  CHECK(text.starts_with(path + ": it has "));
  CHECK(text.find(path, 1) == std::string::npos);
  CHECK(DataError("a", "b: c").what() == std::string("a: b: c"));
  CHECK(DataError("a", "a: c").what() == std::string("a: c"));
  CHECK(DataError("a", "ab: c").what() == std::string("a: ab: c"));
}

TEST_CASE("PNGs stand beside JPEGs, and what a file is its bytes say, not its name") {
  const TemporaryFolder folder;
  const auto png = encode_png(image_of({32, 24}, [](int, int, int) { return 70; }).view());
  const std::string bytes(reinterpret_cast<const char*>(png.data()), png.size());
  folder.write("a/0.PNG", bytes);
  folder.write("a/1.jpg", bytes);
  folder.write("a/2.png", plain_jpeg(70));
  folder.write("a/3.png", bytes.substr(0, 60));
  const ImageFolder images(folder.path(), kSmall);
  REQUIRE(images.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) CHECK(level_of(images, i) == 70);
  expect_error<DataError>([&] { level_of(images, 3); }, {"a/3.png", "PNG data", "cut off"});
}

TEST_CASE("a file that is no sound image is an error that names it") {
  const TemporaryFolder folder;
  const std::string sound = plain_jpeg(9, {200, 200});
  folder.write("a/0.jpg", sound);
  folder.write("a/1.jpg", "this is text");
  folder.write("a/2.jpg", "");
  folder.write("a/3.jpg", sound.substr(0, sound.size() / 2));
  folder.write("a/4.jpg", plain_jpeg(9, {7, 7}));
  folder.write("a/5.jpg", sound);
  const ImageFolder images(folder.path(), CenterCrop{8});
  const auto get = [&](std::size_t i) { return [&images, i] { OneSample(images, i); }; };
  expect_error<DataError>(get(1), {"a/1.jpg", "no JPEG", "74 68 69 73"});
  expect_error<DataError>(get(2), {"a/2.jpg", "empty"});
  expect_error<DataError>(get(3), {"a/3.jpg", "cut off"});
  expect_error<DataError>(get(4), {"a/4.jpg", "7 x 7", "8 x 8"});
  std::filesystem::remove(folder / "a/5.jpg");
  expect_error<SystemError>(get(5), {"a/5.jpg", "No such file"});
  expect_error<ArgumentError>(get(6), {"no sample 6", "are 6"});
  CHECK(level_of(images, 0) == 9);
}

TEST_CASE("the limits of the options apply") {
  const TemporaryFolder folder;
  folder.write("a/0.jpg", plain_jpeg(9));
  const ImageFolder few_bytes(folder.path(), kSmall, {.max_file_bytes = 10});
  expect_error<DataError>([&] { OneSample(few_bytes, 0); }, {"a/0.jpg", "limit is 10"});
  const ImageFolder few_pixels(folder.path(), kSmall, {.jpeg = {.max_pixels = 100}});
  expect_error<DataError>([&] { OneSample(few_pixels, 0); }, {"a/0.jpg", "32 x 24", "limit of 100"});
}

TEST_CASE("links to folders are followed, and one that leads in a circle is an error") {
  const TemporaryFolder folder;
  folder.write("elsewhere/1.jpg", plain_jpeg(5));
  folder.write("root/a/1.jpg", plain_jpeg(6));
  std::filesystem::create_directory_symlink(folder / "elsewhere", folder / "root/b");
  CHECK(ImageFolder(folder / "root", kSmall).classes() == std::vector<std::string>{"a", "b"});
  std::filesystem::create_directory_symlink(folder / "root/a", folder / "root/a/again");
  expect_error<Error>([&] { ImageFolder(folder / "root", kSmall); }, {"root/a/again"});
}

TEST_CASE("a sample depends on its generator alone, in any thread") {
  const TemporaryFolder folder;
  folder.write("a/0.jpg", plain_jpeg(9));
  const auto image = encode_jpeg(image_of({200, 150}, formula).view());
  folder.write("a/1.jpg", {reinterpret_cast<const char*>(image.data()), image.size()});
  const ImageFolder images(folder.path(), RandomResizedCrop{24} | RandomHorizontalFlip{});
  const auto draw = [&](std::uint64_t epoch) { return OneSample(images, 1, Rng(7, epoch, 1)).bytes(0); };
  const auto wanted = draw(0);
  CHECK(draw(1) != wanted);
  std::vector<std::vector<std::byte>> results(4);
  {
    std::vector<std::jthread> threads;
    threads.reserve(results.size());
    for (auto& result : results) threads.emplace_back([&] { result = draw(0); });
  }
  for (const auto& result : results) CHECK(result == wanted);
}

}  // namespace leat::test
