// Data URIs that name leat records.
#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/record_writer.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/support/conversions.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"
#include "tools/common/command_line.h"
#include "tools/common/image_set.h"
#include "tools/common/transforms.h"

using namespace leat;
using namespace leat::detail;
using namespace leat::tools;
using test::expect_error;
using test::TemporaryFolder;

namespace {

void silent(const std::string&) {}

// `count` images of gray level 20 * i in each of two classes, as files and as records.
void write_images(const TemporaryFolder& folder, int count) {
  for (const char* name : {"cat", "dog"}) {
    for (int i = 0; i < count; ++i) {
      const auto jpeg = encode_jpeg(test::image_of({32, 24}, [i](int, int, int) { return 20 * i; }).view());
      folder.write(std::string("files/") + name + "/" + std::to_string(i) + ".jpg",
                   {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
    }
  }
  const RecordConversion source = test::records_of_folder(folder / "files");
  RecordWriter writer(folder / "records", source.schema());
  for (std::size_t i = 0; i < source.size(); ++i) writer.add(source.read(i));
  writer.finish();
}

}  // namespace

TEST_CASE("records are found by their manifest and by their scheme, and divided like a folder of files") {
  const TemporaryFolder folder;
  write_images(folder, 11);
  const ImageLocation files = find_images(folder / "files", silent);
  for (const std::string scheme : {"", "leat:"}) {
    const ImageLocation location = find_images(scheme + (folder / "records").string(), silent);
    for (const Part part : {Part::all, Part::train, Part::held_back}) {
      const ImageSet a(files, part, test_transforms(8)), b(location, part, test_transforms(8));
      CHECK(a.classes() == b.classes());
      REQUIRE(a.dataset().size() == b.dataset().size());
      for (std::size_t i = 0; i < a.dataset().size(); ++i) {
        const test::OneSample x(a.dataset(), i), y(b.dataset(), i);
        CHECK(x.bytes(0) == y.bytes(0));
        CHECK(x.bytes(1) == y.bytes(1));
      }
    }
  }
}

TEST_CASE("leat: names records and nothing else") {
  const TemporaryFolder folder;
  write_images(folder, 2);
  expect_error<UsageError>([&] { find_images("leat:" + (folder / "files").string(), silent); },
                           {"no leat records", "leat-records.json"});
  std::filesystem::create_directory(folder / "both");
  std::filesystem::rename(folder / "records", folder / "both/train");
  CHECK(find_images("leat:" + (folder / "both").string(), silent).train.where == folder / "both/train");
}
