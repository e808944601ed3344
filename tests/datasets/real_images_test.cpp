// All of imagenet-300.tar, where LEAT_REAL_DATA names a folder that holds it.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "leat/datasets/image_folder.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

TEST_CASE("three hundred photographs decode, each to other pixels", "[real-data]") {
  const char* data = std::getenv("LEAT_REAL_DATA");
  const std::filesystem::path archive =
      std::filesystem::path(data != nullptr ? data : "") / "imagenet-300.tar";
  if (data == nullptr || !std::filesystem::exists(archive)) {
    std::cout << "SKIPPED: LEAT_REAL_DATA names no folder that holds imagenet-300.tar\n";
    return;
  }
  const TemporaryFolder folder;
  const std::string command = "tar -C '" + folder.path().string() + "' -xf '" + archive.string() + "'";
  REQUIRE(std::system(command.c_str()) == 0);

  const ImageFolder validation(folder / "imagenet-300", Resize{256} | CenterCrop{224});
  const ImageFolder training(folder / "imagenet-300", RandomResizedCrop{224} | RandomHorizontalFlip{});
  REQUIRE(validation.size() == 300);
  REQUIRE(validation.classes().size() == 300);
  std::vector<std::byte> last;
  for (std::size_t i = 0; i < validation.size(); ++i) {
    INFO(validation.describe(i));
    const OneSample sample(validation, i);
    REQUIRE(sample.values<std::int64_t>(1).at(0) == std::int64_t(i));
    REQUIRE(sample.bytes(0) != last);
    REQUIRE(OneSample(training, i).bytes(0) != sample.bytes(0));
    last = sample.bytes(0);
  }
}

}  // namespace leat::test
