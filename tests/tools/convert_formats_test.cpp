// leat-convert over the formats that it reads: there and back, nothing changes.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/records/record_source.h"
#include "leat/datasets/image/codecs/image_decoder.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/gzip.h"
#include "tests/datasets/support/tar_bytes.h"
#include "tests/support/conversions.h"
#include "tests/tools/run_convert.h"
#include "tools/synthetic/synthetic_folder.h"

namespace {

namespace fs = std::filesystem;
using namespace leat;
using namespace leat::detail;
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
    tools::write_synthetic_image_folder(folder_ / "images", {.images = 100});
    return *this / "images/train";
  }

  std::string write(const std::string& name, std::string_view content) const {
    return folder_.write(name, content).string();
  }

 private:
  TemporaryFolder folder_;
};

const std::vector<std::byte>& value(const RecordConversion& source, const Record& sample,
                                    std::string_view field) {
  return sample.fields.at(source.schema().find(field).value());
}

// Two MNIST-like images of 3 x 2 pixels, with the classes 7 and 1.
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
  const RecordConversion files = records_of_folder(images);
  const RecordConversion records = records_of_set(place / "d");
  REQUIRE(records.size() == 80);
  REQUIRE(files.size() == 80);
  CHECK(records.schema().content(records.schema().find("image").value()) == Content::jpeg);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Record before = files.read(i), after = records.read(i);
    CHECK(value(records, after, "image") == before.fields[1]);
    CHECK(value(records, after, "label") == before.fields[0]);
    const std::string path(text_of(before.fields[2]));
    CHECK(text_of(value(records, after, "name")) == path.substr(0, path.rfind('.')));
  }
}

TEST_CASE("convert: from webdataset to webdataset, every file keeps its bytes", "[process]") {
  const Place place;
  REQUIRE(place.run(place.images() + " " + place / "a --to webdataset").code == 0);
  REQUIRE(place.run("webdataset:" + place / "a " + place / "b --to webdataset").code == 0);
  CHECK(content_of(place / "a/shard-000000.tar") == content_of(place / "b/shard-000000.tar"));
}

TEST_CASE("convert: inspect and verify say what a foreign source is, and find its bad images", "[process]") {
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

TEST_CASE("convert: IDX images become pixels, of each part or the one that is asked for", "[process]") {
  const Place place;
  const std::string folder = write_idx(place, "train");
  REQUIRE(place.run(folder + " " + place / "alone").code == 0);
  CHECK(RecordSource(place / "alone").size() == 2);
  write_idx(place, "t10k");
  REQUIRE(place.run(folder + " " + place / "both").code == 0);
  REQUIRE(place.run("idx:" + folder + " --part test " + place / "test").code == 0);
  for (const std::string& set : {place / "both/train", place / "both/test", place / "test"}) {
    const RecordConversion records = records_of_set(set);
    REQUIRE(records.size() == 2);
    CHECK(records.schema().fields()[0].shape == Shape{2, 3, 3});
    CHECK(text_of(value(records, records.read(0), "image")) == "aaabbbcccdddeeefff");
    CHECK(value(records, records.read(1), "label") == bytes_of(std::vector<std::int64_t>{1}));
    REQUIRE(place.run(set + " " + set + "-mds --to mds").code == 0);
    REQUIRE(place.run(set + "-mds " + set + "-again").code == 0);
    const RecordConversion again = records_of_set(set + "-again");
    CHECK(again.schema().content(again.schema().find("image").value()) == Content::rgb);
    for (const char* field : {"image", "label"}) {
      CHECK(value(again, again.read(1), field) == value(records, records.read(1), field));
    }
  }
  CHECK(place.run(folder + " " + place / "val --split val").code == 2);
}

TEST_CASE("convert: foreign samples that records cannot hold are one line and exit code 2", "[process]") {
  const Place place;
  const std::string set = place / "set";
  const std::string mixed = place.write("mixed.csv", "path,label\na.jpg,1\nb.png,2\n");
  place.write("a.jpg", "no image");
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

TEST_CASE("convert: compressed tars are read from front to back, with the same result", "[process]") {
  const Place place;
  REQUIRE(place.run(place.images() + " " + place / "a --to webdataset --shard-size 300KB").code == 0);
  REQUIRE(place.run(place / "a " + place / "plain --shard-size 200KB").code == 0);
  fs::create_directory(place / "b");
  fs::copy(place / "a/leat-classes.json", place / "b");
  for (const auto& entry : fs::directory_iterator(place / "a")) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() == ".tar")
      place.write("b/" + name + ".gz", gzipped(content_of(entry.path())));
  }
  const ConvertOutcome outcome = place.run(place / "b " + place / "inflated --shard-size 200KB --workers 4");
  REQUIRE(outcome.code == 0);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(place / "plain")) {
    const std::string name = entry.path().filename();
    CHECK((content_of(entry.path()) == content_of(place / ("inflated/" + name))));
    ++files;
  }
  CHECK(files > 3);
  CHECK(place.run("verify " + place / "b").code == 0);
}

TEST_CASE("convert: what is of no known format is refused with those that are", "[process]") {
  const Place place;
  const ConvertOutcome outcome = place.run(place.write("x.parquet", "PAR1") + " " + place / "set");
  CHECK(outcome.code == 2);
  for (const char* format : {"x.parquet", "webdataset", "tfrecord", "beton", "mds", "image folders"})
    CHECK(outcome.err.find(format) != std::string::npos);
}

TEST_CASE("convert: of several fields of images --image-field names the one to resize", "[process]") {
  const Place place;
  TarBytes tar;
  for (int i = 0; i < 2; ++i) {
    const std::string key = std::to_string(i);
    const auto jpeg = encode_jpeg(image_of({40, 20}, ramp).view());
    tar.add({key + ".cls", key})
        .add({key + ".left.jpg", text_of(jpeg)})
        .add({key + ".right.jpg", text_of(jpeg)});
  }
  const std::string source = place.write("x.tar", tar.end().str());
  const ConvertOutcome unclear = place.run(source + " " + place / "set --resize max:10");
  CHECK(unclear.code == 2);
  CHECK(unclear.err.find("--image-field") != std::string::npos);
  CHECK(place.run(source + " " + place / "set --image-field top.jpg").code == 2);
  REQUIRE(place.run(source + " " + place / "set --resize max:10 --image-field right.jpg").code == 0);
  const RecordConversion records = records_of_set(place / "set");
  const Record sample = records.read(1);
  ImageDecoder decoder;
  CHECK(decoder.read_header(value(records, sample, "image")) == Size{10, 5});
  CHECK(decoder.read_header(value(records, sample, "left")) == Size{40, 20});
}

TEST_CASE("convert: names of files and classes that are not UTF-8 come through every format", "[process]") {
  const Place place;
  const auto jpeg = encode_jpeg(image_of({8, 6}, ramp).view());
  place.write("src/cat/caf\xe9.jpg", text_of(jpeg));
  place.write("src/cat/x.1.jpg", text_of(jpeg));
  place.write("src/cat/x_1.jpg", text_of(jpeg));
  place.write("src/\xe9t\xe9/1.jpg", text_of(jpeg));
  for (const std::string to : {"mds", "webdataset", "leat"}) {
    const ConvertOutcome outcome = place.run(place / "src " + place / to + " --verify --to " + to);
    CHECK(outcome.code == 0);
    REQUIRE(place.run(place / to + " " + place / (to + "-records")).code == 0);
    const RecordConversion records = records_of_set(place / (to + "-records"));
    REQUIRE(records.size() == 4);
    CHECK(text_of(value(records, records.read(0), "name")).starts_with("cat/caf%E9"));
    CHECK(records.schema().classes() == std::vector<std::string>{"cat", "%E9t%E9"});
  }
}

TEST_CASE("convert: two class folders that would get one name are refused", "[process]") {
  const Place place;
  const auto jpeg = encode_jpeg(image_of({8, 6}, ramp).view());
  place.write("src/a%FF/1.jpg", text_of(jpeg));
  place.write("src/a\xff/1.jpg", text_of(jpeg));
  const ConvertOutcome outcome = place.run(place / "src " + place / "set");
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("'a%FF'") != std::string::npos);
}
