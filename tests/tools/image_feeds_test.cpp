#include "tools/train/image_feeds.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tools/common/command_line.h"
#include "tools/common/data_source.h"

using namespace leat;
using namespace leat::tools;
using test::expect_error;
using test::TemporaryFolder;

namespace {

// Images of two classes to train on, and of two to test with.
ImageLocation write_images(const TemporaryFolder& folder, const std::string& other_test_class) {
  for (const std::string& name : {std::string("train/cat"), std::string("train/dog"), std::string("test/cat"),
                                  "test/" + other_test_class}) {
    for (const std::string file : {"/0.jpg", "/1.jpg"}) folder.write(name + file, "");
  }
  return find_images(folder.path(), [](const std::string&) {});
}

}  // namespace

TEST_CASE("the images to test with have the classes of those to train on") {
  const TemporaryFolder good, bad;
  const ImageFeeds feeds(write_images(good, "dog"), TrainOptions(), WorldSettings());
  CHECK(feeds.classes() == std::vector<std::string>{"cat", "dog"});
  CHECK(feeds.train_samples() == 4);
  CHECK(feeds.test_samples() == 4);
  const ImageLocation location = write_images(bad, "fox");
  expect_error<UsageError>([&] { ImageFeeds(location, TrainOptions(), WorldSettings()); },
                           {"other classes", "test"});
}

TEST_CASE("every rank gets at least one image") {
  const TemporaryFolder folder;
  const ImageLocation location = write_images(folder, "dog");
  const WorldSettings world{.rank = 0, .world_size = 5};
  expect_error<UsageError>([&] { ImageFeeds(location, TrainOptions(), world); },
                           {"4 images cannot be shared by 5 ranks"});
}
