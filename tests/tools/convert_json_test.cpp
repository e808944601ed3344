// What leat-convert prints with --json.
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/run_convert.h"
#include "tools/synthetic/synthetic_folder.h"

namespace {

using namespace leat::test;
using nlohmann::json;

// 80 images in train/ and 20 in test/, of ten classes; made once for all cases of this program.
const std::string& images() {
  static const TemporaryFolder folder;
  static const std::string path =
      (leat::tools::write_synthetic_image_folder(folder / "images", {.images = 100}),
       (folder / "images").string());
  return path;
}

// The JSON on standard output, which holds nothing else.
json answer(const std::string& arguments, int code = 0) {
  const ConvertOutcome outcome = run_convert(arguments);
  INFO(arguments << "\n" << outcome.out << outcome.err);
  REQUIRE(outcome.code == code);
  REQUIRE(json::accept(outcome.out));
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("convert --json: what was written, for each split", "[process]") {
  const TemporaryFolder folder;
  const std::string destination = folder / "set";
  const json all = answer(images() + " " + destination + " --json --num-workers 1");
  CHECK(all.at("command") == "convert");
  CHECK(all.at("source") == images());
  CHECK(all.at("destination") == destination);
  CHECK(all.at("format") == "leat");
  REQUIRE(all.at("sets").size() == 2);
  for (const json& set : all.at("sets")) {
    const std::string split = set.at("split");
    CHECK(set.at("samples") == (split == "train" ? 80 : 20));
    CHECK(set.at("resumed") == 0);
    CHECK(set.at("shards") == 1);
    CHECK(set.at("finished_before") == false);
    CHECK(set.at("written_bytes") == std::filesystem::file_size(folder / "set" / split / "shard-00000.leat"));
    CHECK(set.at("read_bytes").get<std::size_t>() > 80);
    CHECK(set.at("seconds").get<double>() > 0);
    CHECK_FALSE(set.at("compression").get<std::string>().empty());
    CHECK(set.at("skipped").empty());
  }
}

TEST_CASE("convert: the number of workers has the name of the other programs, and its old one", "[process]") {
  const TemporaryFolder folder;
  const std::string convert = images() + "/train ";
  CHECK(run_convert(convert + (folder / "a").string() + " --num-workers 2").code == 0);
  CHECK(run_convert(convert + (folder / "b").string() + " --workers 2").code == 0);
  CHECK(run_convert(convert + (folder / "c").string() + " --num-workers auto").code == 0);
  for (const std::string wrong : {"0", "1025", "few"}) {
    const ConvertOutcome outcome = run_convert(convert + (folder / "d").string() + " --num-workers " + wrong);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find("--num-workers") != std::string::npos);
  }
}

TEST_CASE("convert --json: samples that were skipped are listed", "[process]") {
  const TemporaryFolder folder;
  folder.write("src/a/bad.jpg", "no image");
  std::filesystem::copy(images() + "/train", folder / "src", std::filesystem::copy_options::recursive);
  const json all = answer((folder / "src").string() + " " + (folder / "out").string() +
                          " --json --quality 80 --on-error skip");
  const json& set = all.at("sets").at(0);
  CHECK(set.at("split").is_null());
  CHECK(set.at("samples") == 80);
  REQUIRE(set.at("skipped").size() == 1);
  CHECK(set.at("skipped").at(0).at("index") == 0);
  CHECK(set.at("skipped").at(0).at("source") == (folder / "src/a/bad.jpg").string());
  CHECK_FALSE(set.at("skipped").at(0).at("reason").get<std::string>().empty());
}

TEST_CASE("convert inspect --json: schema, counts and sizes", "[process]") {
  const TemporaryFolder folder;
  const std::string records = folder / "set", source = images() + "/train";
  REQUIRE(run_convert(source + " " + records + " --zstd none").code == 0);
  for (const std::string& data : {source, records}) {
    const json all = answer("inspect " + data + " --json");
    CHECK(all.at("command") == "inspect");
    CHECK(all.at("data") == data);
    REQUIRE(all.at("sets").size() == 1);
    const json& set = all.at("sets").at(0);
    CHECK(set.at("split").is_null());
    CHECK(set.at("format") == (data == source ? "an image folder" : "leat records"));
    CHECK(set.at("samples") == 80);
    CHECK(set.at("unreadable") == 0);
    CHECK(set.at("classes").size() == 10);
    CHECK(set.at("labels").size() == 10);
    CHECK(set.at("labels").at("3") == 8);
    json field;
    for (const json& each : set.at("fields")) {
      if (each.at("name") == "image") field = each;
    }
    REQUIRE(field.is_object());
    CHECK(field.at("content") == "jpeg");
    CHECK(field.at("dtype") == "u8");
    CHECK(field.at("shape").empty());
    CHECK(field.at("max_length").get<std::size_t>() > 100);
    const json& sizes = set.at("bytes_per_sample");
    CHECK(sizes.at("min") <= sizes.at("median"));
    CHECK(sizes.at("median") <= sizes.at("max"));
    CHECK(sizes.at("mean").get<std::size_t>() > 0);
    CHECK(set.at("bytes").get<std::size_t>() >= 80 * sizes.at("min").get<std::size_t>());
    CHECK(set.at("records").is_null() == (data == source));
  }
  const json figures = answer("inspect --json " + records).at("sets").at(0).at("records");
  CHECK(figures.at("shards") == 1);
  CHECK(figures.at("codec") == "none");
  CHECK(figures.at("dictionary_bytes") == 0);
  CHECK(figures.at("alignment").get<std::size_t>() > 0);
  CHECK(figures.at("raw_bytes").get<std::size_t>() > 0);
}

TEST_CASE("convert verify --json: bad samples are listed, and the exit code is 1", "[process]") {
  const TemporaryFolder folder;
  const std::string set = folder / "set";
  REQUIRE(run_convert(images() + " " + set + " --zstd none").code == 0);
  const json sound = answer("verify --json " + set);
  CHECK(sound.at("command") == "verify");
  CHECK(sound.at("bad_samples") == 0);
  REQUIRE(sound.at("sets").size() == 2);
  CHECK(sound.at("sets").at(0).at("bad").empty());

  const std::string shard = folder / "set/train/shard-00000.leat";
  std::string bytes = content_of(shard);
  const std::size_t place = bytes.find("\xff\xd8\xff");
  REQUIRE(place != std::string::npos);
  bytes[place] = 'x';
  replace_content(shard, bytes);
  const json damaged = answer("verify --json " + set, 1);
  CHECK(damaged.at("bad_samples") == 1);
  for (const json& each : damaged.at("sets")) {
    const bool train = each.at("split") == "train";
    CHECK(each.at("samples") == (train ? 80 : 20));
    CHECK(each.at("bad_samples") == (train ? 1 : 0));
    if (!train) continue;
    const json& bad = each.at("bad").at(0);
    CHECK(bad.at("first") == 0);
    CHECK(bad.at("count") == 1);
    CHECK(bad.at("source").get<std::string>().find("shard-00000.leat") != std::string::npos);
    CHECK_FALSE(bad.at("reason").get<std::string>().empty());
  }
}

TEST_CASE("convert inspect --json: names that are no UTF-8 leave it valid", "[process]") {
  const TemporaryFolder folder;
  std::filesystem::copy(images() + "/train", folder / "src", std::filesystem::copy_options::recursive);
  std::filesystem::rename(*std::filesystem::directory_iterator(folder / "src"), folder / "src/caf\xe9");
  const json all = answer("inspect --json " + (folder / "src").string());
  CHECK(all.at("sets").at(0).at("classes").size() == 10);
}
