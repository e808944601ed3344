// leat-convert killed at each single change that it makes to a file.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/support/file_operations.h"
#include "tests/tools/run_convert.h"

namespace {

namespace fs = std::filesystem;
using namespace leat;
using namespace leat::detail;
using namespace leat::test;

void write_jpeg(const TemporaryFolder& folder, const std::string& name, int level) {
  const Image image = image_of({8, 6}, [&](int, int, int) { return level; });
  folder.write(name, text_of(encode_jpeg(image.view())));
}

std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder)] = content_of(entry.path());
  }
  return files;
}

ConvertOutcome run_dying(const std::string& arguments, int at) {
  return run_convert(arguments, std::string(kDieAt) + "=" + std::to_string(at) + " ", LEAT_CONVERT_DYING);
}

// Killed at its n-th change of a file, for every n there is; sometimes killed once more while it is resumed; resumed.
// What is there in the end is what a conversion makes that nobody kills.
void check_all_deaths(const std::string& source, const TemporaryFolder& folder, const std::string& options) {
  REQUIRE(run_convert(source + " " + (folder / "whole").string() + options).code == 0);
  const auto whole = files_of(folder / "whole");
  int deaths = 0, refused = 0;
  for (int n = 1;; ++n) {
    const std::string set = folder / ("set" + std::to_string(n));
    const std::string again = source + " " + set + options + " --resume";
    const ConvertOutcome first = run_dying(source + " " + set + options, n);
    if (first.code == 0) break;
    ++deaths;
    REQUIRE(deaths < 500);
    INFO("killed at change " << n << ": " << first.err);
    CHECK(first.code == 137);
    const bool was_whole = files_of(set) == whole;
    if (n % 3 == 0) run_dying(again, n % 7 + 1);
    const ConvertOutcome resumed = run_convert(again);
    INFO(resumed.err);
    CHECK(files_of(set) == whole);
    CHECK_FALSE(fs::exists(set + ".partial"));
    // Nothing was left to do, at the latest after the second death.
    if (resumed.code != 0) CHECK(resumed.err.find("exists already") != std::string::npos);
    if (resumed.code != 0 && was_whole) ++refused;
  }
  CHECK(deaths > 20);
  CHECK(refused <= 1);  // killed behind the very last removal
}

// Three images of one class; their image folder.
fs::path write_images(const TemporaryFolder& folder) {
  for (int i = 0; i < 3; ++i) write_jpeg(folder, "src/cat/" + std::to_string(i) + ".jpg", i);
  return folder / "src";
}

}  // namespace

TEST_CASE("convert: killed at any change of a file, records are resumed to the same bytes", "[process]") {
  const TemporaryFolder folder;
  check_all_deaths(write_images(folder), folder, " --shard-size 900B --workers 1");
}

TEST_CASE("convert: killed at any change of a file, WebDataset is resumed to the same bytes", "[process]") {
  const TemporaryFolder folder;
  check_all_deaths(write_images(folder), folder, " --to webdataset --workers 1 --verify");
}

TEST_CASE("convert: killed at any change of a file, MDS is resumed to the same bytes", "[process]") {
  const TemporaryFolder folder;
  check_all_deaths(write_images(folder), folder, " --to mds --workers 1");
}

TEST_CASE("convert: killed at any change of a file, splits are resumed to the same bytes", "[process]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 4; ++i) {
    write_jpeg(folder, std::string(i < 2 ? "src/train/" : "src/test/") + "cat/" + std::to_string(i) + ".jpg",
               i);
  }
  check_all_deaths(folder / "src", folder, " --workers 1");
}
