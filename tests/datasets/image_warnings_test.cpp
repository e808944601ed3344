#include "leat/datasets/image_warnings.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/datasets/concat.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/subset.h"
#include "leat/loader/data_loader.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/image/jpeg_files.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

// Eight images; the second and the sixth have a later JFIF revision, the last one is cut off.
TemporaryFolder& write_images(TemporaryFolder& folder) {
  const Bytes jpeg = encode_jpeg(image_of({32, 24}, formula).view());
  Bytes revision = jpeg;
  revision[find_marker(jpeg, 0xe0) + 9] = std::byte{7};
  for (int i = 0; i < 7; ++i)
    folder.write("a/" + std::to_string(i) + ".jpg", text_of(i % 4 == 1 ? revision : jpeg));
  folder.write("a/7.jpg", text_of(std::span(jpeg).first(jpeg.size() - 100)));
  return folder;
}

}  // namespace

TEST_CASE("images that are damaged, but complete, are counted by kind, with the first one's name") {
  TemporaryFolder folder;
  const ImageFolder images(write_images(folder).path(), Resize(8, 8));
  CHECK(images.warnings().empty());
  for (std::size_t i = 0; i < 7; ++i) OneSample(images, i);
  expect_error<DataError>([&] { OneSample(images, 7); }, {"a/7.jpg", "cut off"});
  const ImageWarnings::Counts counts = images.image_warnings();
  CHECK(counts.images == 2);
  CHECK(counts.kinds[static_cast<std::size_t>(DecodeWarning::jfif_revision)] == 2);
  CHECK(counts.first == 1);
  CHECK(images.warnings().find(
            "2 damaged images were decoded: 2 with an unknown JFIF revision; the first was ") == 0);
  CHECK(images.warnings().find("a/1.jpg") != std::string::npos);
  const Subset some(images, {0, 1});
  const Concat both({some, images});
  CHECK(some.warnings() == images.warnings());
  CHECK(both.warnings() == images.warnings() + "; " + images.warnings());
}

TEST_CASE("missing data is counted where it is allowed") {
  TemporaryFolder folder;
  const ImageFolder images(write_images(folder).path(), Resize(8, 8), {.jpeg = {.allow_corrupt = true}});
  const OneSample sample(images, 7);
  CHECK(sample.bytes(0).size() == 8 * 8 * 3);
  CHECK(images.image_warnings().kinds[static_cast<std::size_t>(DecodeWarning::missing_data)] == 1);
  CHECK(images.warnings().find("missing data") != std::string::npos);
}

TEST_CASE("a loader tells once how many images its worker processes found damaged", "[process]") {
  TemporaryFolder folder;
  const ImageFolder images(write_images(folder).path(), Resize(8, 8), {.jpeg = {.allow_corrupt = true}});
  for (const int workers : {0, 2}) {
    std::vector<std::string> told;
    DataLoader loader(images,
                      {.batch_size = 3, .num_workers = workers, .on_warning = [&](const std::string& text) {
                         if (text.find("damaged image") != std::string::npos) told.push_back(text);
                       }});
    for (const std::uint64_t epoch : {0U, 1U}) {
      std::size_t batches = 0;
      for (const HostBatch& batch : loader.epoch(epoch)) batches += batch.size() > 0;
      CHECK(batches == 3);
    }
    REQUIRE(told.size() == 1);
    CHECK(told[0].find(workers == 0 ? "3 damaged images were decoded" : "9 damaged images were decoded") ==
          0);
  }
}

}  // namespace leat::test
