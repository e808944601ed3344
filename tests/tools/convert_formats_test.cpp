// leat-convert over the formats that it reads: there and back, nothing changes.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/shards/image_folder_source.h"
#include "datasets/shards/record_source.h"
#include "datasets/synthetic_folder.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/tools/run_convert.h"

namespace {

namespace fs = std::filesystem;
using namespace leat;
using namespace leat::test;

// Indexes are kept in the test's own folder.
class Place {
 public:
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }

  ConvertOutcome run(const std::string& arguments) const {
    ConvertOutcome outcome = run_convert(arguments, "LEAT_CACHE_DIR=" + *this / "cache" + " ");
    UNSCOPED_INFO(arguments << "\n" << outcome.err);
    return outcome;
  }

  std::string images() const {
    write_synthetic_image_folder(folder_ / "images", {.images = 100});
    return *this / "images/train";
  }

  std::string write(const std::string& name, std::string_view content) const {
    return folder_.write(name, content).string();
  }

 private:
  TemporaryFolder folder_;
};

const std::vector<std::byte>& value(const ConversionSource& source, const ConversionSample& sample,
                                    std::string_view field) {
  return sample.fields.at(source.schema().find(field).value());
}

// Two MNIST-like pictures of 3 x 2 pixels, with the classes 7 and 1.
std::string write_idx(const Place& place, const std::string& part) {
  const FileBytes images = FileBytes().u8(0).u8(0).u8(8).u8(3).big(2U).big(2U).big(3U).text("abcdefghijkl");
  const FileBytes labels = FileBytes().u8(0).u8(0).u8(8).u8(1).big(2U).u8(7).u8(1);
  place.write("idx/" + part + "-images-idx3-ubyte", images);
  place.write("idx/" + part + "-labels-idx1-ubyte", labels);
  return place / "idx";
}

}  // namespace

TEST_CASE("convert: folder, leat, webdataset, mds and leat again: the same JPEGs and labels in order",
          "[process]") {
  const Place place;
  const std::string images = place.images();
  REQUIRE(place.run(images + " " + place / "a --shard-size 200KB").code == 0);
  REQUIRE(place.run(place / "a " + place / "b --to webdataset --shard-size 200KB --verify").code == 0);
  REQUIRE(place.run(place / "b " + place / "c --to mds --shard-size 200KB --verify").code == 0);
  REQUIRE(place.run(place / "c " + place / "d --verify").code == 0);
  const ImageFolderSource files(images);
  const RecordSource records(place / "d");
  REQUIRE(records.size() == 80);
  REQUIRE(files.size() == 80);
  CHECK(records.schema().content(records.schema().find("image").value()) == Content::jpeg);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const ConversionSample before = files.read(i), after = records.read(i);
    CHECK(value(records, after, "image") == before.fields[ImageFolderSource::kImage]);
    CHECK(value(records, after, "label") == before.fields[ImageFolderSource::kLabel]);
    const std::string path(text_of(before.fields[ImageFolderSource::kName]));
    CHECK(text_of(value(records, after, "name")) == path.substr(0, path.rfind('.')));
  }
}

TEST_CASE("convert: from webdataset to webdataset, every file keeps its bytes", "[process]") {
  const Place place;
  REQUIRE(place.run(place.images() + " " + place / "a --to webdataset").code == 0);
  REQUIRE(place.run("webdataset:" + place / "a " + place / "b --to webdataset").code == 0);
  CHECK(content_of(place / "a/shard-000000.tar") == content_of(place / "b/shard-000000.tar"));
}

TEST_CASE("convert: inspect and verify say what a foreign source is, and find its bad pictures",
          "[process]") {
  const Place place;
  REQUIRE(place.run(place.images() + " " + place / "a --to mds").code == 0);
  const ConvertOutcome seen = place.run("inspect " + place / "a");
  CHECK(seen.code == 0);
  CHECK(seen.out.find("a source in the format mds\n80 samples") != std::string::npos);
  CHECK(place.run("verify " + place / "a").code == 0);
  std::string shard = content_of(place / "a/shard.00000.mds");
  shard[shard.find("\xff\xd8\xff")] = 'x';
  replace_content(place / "a/shard.00000.mds", shard);
  const ConvertOutcome bad = place.run("verify mds:" + place / "a");
  CHECK(bad.code == 1);
  CHECK(bad.out.find("80 samples, 1 bad") != std::string::npos);
  CHECK(bad.out.find("sample 0: ") != std::string::npos);
  CHECK(place.run(place / "a " + place / "b").code == 1);
  const ConvertOutcome skipped = place.run(place / "a " + place / "c --on-error skip");
  CHECK(skipped.code == 0);
  CHECK(skipped.err.find("skipped: sample 0: ") != std::string::npos);
  CHECK(RecordSource(place / "c").size() == 79);
}

TEST_CASE("convert: IDX pictures become pixels and labels, of the part that is asked for", "[process]") {
  const Place place;
  write_idx(place, "train");
  const std::string folder = write_idx(place, "t10k");
  for (const std::string& arguments : {folder, "idx:" + folder + " --part test"}) {
    const std::string set = place / (arguments == folder ? "train" : "test");
    REQUIRE(place.run(arguments + " " + set).code == 0);
    const RecordSource records(set);
    REQUIRE(records.size() == 2);
    CHECK(records.schema().fields()[0].shape == Shape{2, 3, 3});
    CHECK(text_of(value(records, records.read(0), "image")) == "aaabbbcccdddeeefff");
    CHECK(value(records, records.read(1), "label") == bytes_of(std::vector<std::int64_t>{1}));
    REQUIRE(place.run(set + " " + set + "-mds --to mds").code == 0);
    REQUIRE(place.run(set + "-mds " + set + "-again").code == 0);
    const RecordSource again(set + "-again");
    CHECK(again.schema().content(again.schema().find("image").value()) == Content::rgb);
    for (const char* field : {"image", "label"}) {
      CHECK(value(again, again.read(1), field) == value(records, records.read(1), field));
    }
  }
}

TEST_CASE("convert: foreign samples that records cannot hold are one line and exit code 2", "[process]") {
  const Place place;
  const std::string set = place / "set";
  const std::string mixed = place.write("mixed.csv", "path,label\na.jpg,1\nb.png,2\n");
  place.write("a.jpg", "no picture");
  fs::create_directory(place / "tars");
  for (const std::string& arguments :
       {"mds:" + place / "nothing", "webdataset:" + place / "tars", "tfrecord:" + mixed,
        "manifest:" + mixed + "x", "manifest:" + place.write("c.csv", "path,label\na.jpg,1\n"),
        "idx:" + place / "tars"}) {
    const ConvertOutcome outcome = place.run(arguments + " " + set);
    CHECK(outcome.code == 2);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(set));
    CHECK_FALSE(fs::exists(set + ".partial"));
  }
}
