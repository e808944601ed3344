#include "tools/synthetic/synthetic_folder.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/io/read_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"
#include "tools/synthetic/synthetic.h"

namespace leat::tools {

using namespace leat::detail;

using namespace leat::test;

namespace fs = std::filesystem;

namespace {

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("generated folders hold every class, four to train for one to test") {
  const TemporaryFolder folder;
  const fs::path root = folder / "deep/er";
  std::vector<std::size_t> progress;
  CHECK(write_synthetic_image_folder(
      root, {.images = 100, .seed = 2, .threads = 2, .progress = [&](std::size_t done, std::size_t all) {
               CHECK(all == 100);
               progress.push_back(done);
             }}));
  CHECK(std::ranges::is_sorted(progress));
  CHECK(progress.back() == 100);

  const ImageFolder train(root / "train", CenterCrop{32}), test(root / "test", CenterCrop{32});
  CHECK(train.classes() == synthetic_class_names());
  CHECK(test.classes() == synthetic_class_names());
  CHECK(train.size() == 80);
  CHECK(test.size() == 20);
  for (std::size_t i = 0; i < 80; ++i) CHECK(train.label_of(i) == std::int64_t(i / 8));
  CHECK(OneSample(test, 19).values<std::int64_t>(1).at(0) == 9);

  std::vector<std::byte> file;
  read_file(root / "test/desert/000043.jpg", 1 << 20, file);
  CHECK(file == synthetic_jpeg(2, 43));

  SECTION("a second call does nothing, and nothing else lies around") {
    const auto before = fs::last_write_time(root / "train");
    CHECK_FALSE(write_synthetic_image_folder(root, {.images = 100, .seed = 2}));
    CHECK(fs::last_write_time(root / "train") == before);
    CHECK(entries(root) == 3);
    CHECK(entries(folder / "deep") == 1);
  }
  SECTION("a folder of other images is left alone") {
    expect_error<ArgumentError>([&] { write_synthetic_image_folder(root, {.images = 101, .seed = 2}); },
                                {root.string(), "101", "seed 2", "remove"});
    expect_error<ArgumentError>([&] { write_synthetic_image_folder(root, {.images = 100, .seed = 3}); },
                                {"seed 3"});
    CHECK(train.size() == 80);
  }
}

TEST_CASE("a folder that holds something else is never written into") {
  const TemporaryFolder folder;
  folder.write("mine/notes.txt", "precious");
  expect_error<ArgumentError>([&] { write_synthetic_image_folder(folder / "mine", {.images = 50}); },
                              {"mine"});
  CHECK(entries(folder / "mine") == 1);
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a failure in the midst leaves nothing behind") {
  const TemporaryFolder folder;
  struct Stop : Error {
    using Error::Error;
  };
  const auto stop = [](std::size_t done, std::size_t) {
    if (done >= 5) throw Stop("enough");
  };
  expect_error<Stop>(
      [&] { write_synthetic_image_folder(folder / "x", {.images = 50, .threads = 2, .progress = stop}); },
      {"enough"});
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a place that cannot be written to, and senseless options, are refused") {
  const TemporaryFolder folder;
  folder.write("file", "");
  expect_error<SystemError>([&] { write_synthetic_image_folder(folder / "file/x", {.images = 50}); },
                            {"file"});
  expect_error<ArgumentError>([&] { write_synthetic_image_folder(folder / "x", {.images = 49}); },
                              {"49", "50"});
  expect_error<ArgumentError>(
      [&] { write_synthetic_image_folder(folder / "x", {.images = 50, .threads = 0}); }, {"0 threads"});
}

}  // namespace leat::tools
