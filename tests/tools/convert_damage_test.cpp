// Damaged images and listings in leat-convert.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "leat/datasets/formats/splits.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/tools/run_convert.h"
#include "tools/common/data_source.h"
#include "tools/common/image_set.h"
#include "tools/common/transforms.h"

namespace {

namespace fs = std::filesystem;
using namespace leat;
using namespace leat::detail;
using namespace leat::test;
using namespace leat::tools;

std::string sound_jpeg() {
  return std::string(text_of(encode_jpeg(image_of({40, 30}, formula).view())));
}

// Of a later revision of JFIF than there is: the version stands behind "JFIF" and a zero.
std::string odd_jpeg() {
  std::string jpeg = sound_jpeg();
  jpeg[jpeg.find("JFIF") + 5] = 7;
  return jpeg;
}

ConvertOutcome run(const TemporaryFolder& folder, const std::string& arguments) {
  return run_convert(arguments, "cd " + folder.path().string() + "; LEAT_CACHE_DIR=cache ");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("convert: images that are damaged, but complete, are converted and counted", "[process]") {
  const TemporaryFolder folder;
  folder.write("src/a/0.jpg", sound_jpeg());
  folder.write("src/a/1.jpg", odd_jpeg());
  for (const std::string option : {"", " --raw --resize square:16"}) {
    const ConvertOutcome outcome = run(folder, "src dst" + option);
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.err.find("1 damaged image was decoded: 1 with an unknown JFIF revision; the first was "
                           "src/a/1.jpg") != std::string::npos);
    fs::remove_all(folder / "dst");
  }
  const ConvertOutcome verified = run(folder, "verify src");
  CHECK(verified.code == 0);
  CHECK(verified.out.find("2 samples, 0 bad") != std::string::npos);
  CHECK(verified.out.find("1 damaged image was decoded") != std::string::npos);
}

TEST_CASE("convert: each warning is a line, and a sentence of its own in JSON", "[process]") {
  const TemporaryFolder folder;
  folder.write("src/a/0.jpg", odd_jpeg());
  fs::create_symlink(folder / "nowhere", folder / "src/a/1.jpg");
  const ConvertOutcome text = run(folder, "src dst");
  INFO(text.err);
  CHECK(count(text.err, "leat-convert: warning: ") == 2);
  for (const std::string command : {"src dst2 --json", "verify src --json"}) {
    const ConvertOutcome outcome = run(folder, command);
    INFO(outcome.out << outcome.err);
    const auto warnings = nlohmann::json::parse(outcome.out).at("sets").at(0).at("warnings");
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0].get<std::string>().starts_with("1 damaged image"));
    CHECK(warnings[1].get<std::string>().find("left out") != std::string::npos);
  }
}

TEST_CASE("convert: missing data is an error, unless corrupt images are allowed", "[process]") {
  const TemporaryFolder folder;
  const std::string jpeg = sound_jpeg();
  folder.write("src/a/0.jpg", jpeg.substr(0, jpeg.size() * 2 / 3));
  const ConvertOutcome refused = run(folder, "src dst --raw --resize square:16");
  CHECK(refused.code == 1);
  CHECK(refused.err.find("cut off") != std::string::npos);
  CHECK(run(folder, "verify src").code == 1);
  fs::remove_all(folder / "dst.partial");
  const ConvertOutcome accepted = run(folder, "src dst --raw --resize square:16 --allow-corrupt");
  CHECK(accepted.code == 0);
  CHECK(accepted.err.find("1 with missing data") != std::string::npos);
  CHECK(run(folder, "verify src --allow-corrupt").code == 0);
}

TEST_CASE("convert: an error names the file once", "[process]") {
  const TemporaryFolder folder;
  folder.write("src/a/zero.jpg", "");
  for (const std::string command : {"src dst", "src dst2 --on-error skip", "verify src"}) {
    const ConvertOutcome outcome = run(folder, command);
    INFO(command << ": " << outcome.out << outcome.err);
    CHECK(outcome.code == 1);
    CHECK(count(outcome.out + outcome.err, "src/a/zero.jpg") == 1);
    CHECK(count(outcome.out + outcome.err, "it is empty") == 1);
  }
}

TEST_CASE("convert: links that lead nowhere are left out and told, empty classes refused unless allowed",
          "[process]") {
  const TemporaryFolder folder;
  folder.write("src/a/0.jpg", sound_jpeg());
  fs::create_symlink(folder / "nowhere", folder / "src/a/1.jpg");
  fs::create_directory_symlink(folder / "nowhere", folder / "src/b");
  const ConvertOutcome outcome = run(folder, "src dst");
  CHECK(outcome.code == 0);
  CHECK(outcome.err.find("2 links that lead nowhere were left out; the first is src/a/1.jpg") !=
        std::string::npos);
  fs::create_directory(folder / "src/c");
  const ConvertOutcome refused = run(folder, "src other");
  CHECK(refused.code == 2);
  CHECK(refused.err.find("src/c: this class has no images") != std::string::npos);
  CHECK(run(folder, "src other --allow-empty").code == 0);
  CHECK(run(folder, "verify src --allow-empty").code == 0);
}

TEST_CASE("a folder with links that lead nowhere holds classes, for every tool") {
  const TemporaryFolder folder;
  fs::create_directories(folder / "src/a");
  fs::create_directory_symlink(folder / "nowhere", folder / "src/a/0");
  fs::create_symlink(folder / "src/a/1.jpg", folder / "src/a/1.jpg");
  folder.write("src/a/z/2.jpg", sound_jpeg());
  fs::create_directory(folder / "src/b");
  CHECK(holds_classes(folder / "src"));
  ImageLocation location = find_images((folder / "src").string(), [](const std::string&) {});
  location.allow_empty = true;
  const ImageSet images(location, Part::all, test_transforms(8));
  CHECK(images.dataset().size() == 1);
  CHECK(images.classes().size() == 2);
}
