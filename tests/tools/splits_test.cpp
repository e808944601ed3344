// Splits and classes are told apart by the same rules in every tool.
#include "leat/datasets/formats/splits.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/records/record_source.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/support/conversions.h"
#include "tests/support/expect_error.h"
#include "tests/tools/run_convert.h"
#include "tools/common/command_line.h"
#include "tools/common/data_source.h"
#include "tools/convert/sources.h"

namespace {

namespace fs = std::filesystem;
using namespace leat;
using namespace leat::detail;
using namespace leat::test;
using namespace leat::tools;
using Names = std::vector<std::string>;

Names split_names(const fs::path& folder) {
  Names names;
  for (const Split& split : find_splits(folder)) names.push_back(split.name);
  return names;
}

Names source_names(const std::string& uri) {
  Names names;
  for (const NamedSource& source : sources_of(uri, std::nullopt)) names.push_back(source.split);
  return names;
}

ImageLocation located(const std::string& uri) {
  return find_images(uri, [](const std::string&) {});
}

void write_jpeg(const TemporaryFolder& folder, const std::string& name, int level) {
  const Image image = image_of({8, 6}, [&](int, int, int) { return level; });
  folder.write(name, text_of(encode_jpeg(image.view())));
}

// Two classes in train/, and the same two in test/.
void write_splits(const TemporaryFolder& folder) {
  write_jpeg(folder, "src/train/cat/1.jpg", 10);
  write_jpeg(folder, "src/train/cat/2.jpg", 20);
  write_jpeg(folder, "src/train/dog/3.jpg", 30);
  write_jpeg(folder, "src/test/cat/4.jpg", 40);
  write_jpeg(folder, "src/test/dog/5.jpg", 50);
}

void check_same(const fs::path& records, const fs::path& files) {
  INFO(records);
  const RecordConversion converted = records_of_set(records), source = records_of_folder(files);
  CHECK(converted.schema().classes() == Names{"cat", "dog"});
  REQUIRE(converted.size() == source.size());
  for (std::size_t i = 0; i < source.size(); ++i) CHECK(converted.read(i).fields == source.read(i).fields);
}

}  // namespace

TEST_CASE("train, val and test that hold classes, records or shards are splits") {
  const TemporaryFolder folder;
  folder.write("a/train/cat/1.jpg", "");
  CHECK(split_names(folder / "a") == Names{"train"});
  folder.write("a/val/cat/1.jpg", "");
  folder.write("a/test/leat-records.json", "");
  folder.write("a/docs/readme.txt", "");
  CHECK(split_names(folder / "a") == Names{"test", "train", "val"});
  folder.write("b/train/0.tar", "");
  folder.write("b/validation/0.tar", "");
  CHECK(split_names(folder / "b") == Names{"train", "validation"});
  CHECK(located(folder / "b").held_back->where == folder / "b/validation");
  folder.write("c/cat/1.jpg", "");
  folder.write("c/trains/1.jpg", "");
  CHECK(split_names(folder / "c").empty());
  for (const char* name : {"a", "b", "c"}) {
    INFO(name);
    const Names splits = split_names(folder / name);
    CHECK(source_names(folder / name) == (splits.empty() ? Names{""} : splits));
    CHECK(located(folder / name).train.where == (splits.empty() ? folder / name : folder / name / "train"));
  }
}

TEST_CASE("leat:PATH names leat records, or splits of them, for every tool") {
  const TemporaryFolder folder;
  folder.write("set/leat-records.json", "");
  folder.write("both/train/leat-records.json", "");
  folder.write("both/test/leat-records.json", "");
  folder.write("images/train/cat/1.jpg", "");
  const std::string set = folder / "set", both = folder / "both", images = folder / "images";
  CHECK(located("leat:" + set).train.where == set);
  CHECK(located("leat:" + both).train.where == both + "/train");
  CHECK(source_names("leat:" + set) == Names{""});
  CHECK(source_names("leat:" + both) == Names{"test", "train"});
  for (const NamedSource& source : sources_of("leat:" + both, std::nullopt))
    CHECK(source.location.format == SourceFormat::records);
  CHECK(sources_of("leat:" + both, "train").front().location.where == both + "/train");
  expect_error<UsageError>([&] { located("leat:" + images); }, {images, "no leat records"});
  expect_error<UsageError>([&] { path_of("leat:" + images); }, {images, "no leat records"});
  expect_error<UsageError>([&] { path_of("leat:" + set + "x"); }, {set + "x"});
}

TEST_CASE("images beside splits are left out, whether or not their folder is called like a split") {
  const TemporaryFolder folder;
  folder.write("train/cat/1.jpg", "");
  folder.write("test/1.jpg", "");
  CHECK(split_names(folder.path()) == Names{"train"});
  CHECK(left_out(folder.path(), {"train"}) == Names{"test"});
  folder.write("val/cat/1.jpg", "");
  folder.write("extra/cat/1.jpg", "");
  CHECK(split_names(folder.path()) == Names{"train", "val"});
  CHECK(left_out(folder.path(), {"train", "val"}) == Names{"extra", "test"});
}

TEST_CASE("what may be a split or a class is refused by every tool, with the ways to say it") {
  const TemporaryFolder folder;
  folder.write("class/train/1.jpg", "");
  folder.write("class/bus/1.jpg", "");
  folder.write("nested/train/a/1.jpg", "");
  folder.write("nested/bus/a/1.jpg", "");
  folder.write("flat/train/1.jpg", "");
  folder.write("flat/test/1.jpg", "");
  for (const std::string name : {"class", "nested", "flat"}) {
    const std::string path = folder / name;
    expect_error<ArgumentError>([&] { find_splits(path); }, {path, "two ways", "classes:" + path});
    expect_error<UsageError>([&] { located(path); }, {"classes:"});
    expect_error<UsageError>([&] { located("imagefolder:" + path); }, {"classes:"});
    expect_error<UsageError>([&] { sources_of(path, std::nullopt); }, {"classes:"});
    expect_error<UsageError>([&] { sources_of("imagefolder:" + path, std::nullopt); }, {"classes:"});
    CHECK(located("classes:" + path).train.where == path);
    CHECK(source_names("classes:" + path) == Names{""});
    CHECK(sources_of(path, "train").front().location.where == folder / (name + "/train"));
  }
  folder.write("rest/val/a/1.jpg", "");
  expect_error<UsageError>([&] { located(folder / "rest"); }, {"no train"});
}

TEST_CASE("shards of several splits in one folder are not mixed") {
  const TemporaryFolder folder;
  folder.write("a/imagenet-train-0.tar", "");
  folder.write("a/imagenet-train-1.tar", "");
  CHECK(source_names(folder / "a") == Names{""});
  folder.write("a/imagenet-val-0.tar", "");
  for (const std::string scheme : {"", "webdataset:"}) {
    const std::string uri = scheme + (folder / "a").string();
    expect_error<UsageError>([&] { sources_of(uri, std::nullopt); },
                             {"imagenet-train-", "imagenet-val-0.tar", "{000..123}.tar"});
    expect_error<UsageError>([&] { located(uri); }, {"several splits"});
  }
  CHECK(source_names(folder / "a/imagenet-train-{0..1}.tar") == Names{""});
  folder.write("b/train/train_testing-0.tfrecord", "");
  folder.write("b/train/latest-1.tfrecord", "");
  CHECK(source_names(folder / "b") == Names{"train"});
  folder.write("b/train/test-1.tfrecord", "");
  expect_error<UsageError>([&] { sources_of(folder / "b", std::nullopt); }, {"several splits"});
}

TEST_CASE("shards beside folders of images are refused, with the ways to say which is meant") {
  const TemporaryFolder folder;
  folder.write("train.tar", "");
  CHECK(located(folder.path()).train.format == SourceFormat::webdataset);
  folder.write("train/cat/1.jpg", "");
  const std::string path = folder.path();
  expect_error<UsageError>([&] { located(path); }, {"webdataset:" + path, "imagefolder:" + path});
  expect_error<UsageError>([&] { sources_of(path, std::nullopt); }, {"imagefolder:" + path});
  CHECK(located("imagefolder:" + path).train.where == folder / "train");
  CHECK(source_names("imagefolder:" + path) == Names{"train"});
  CHECK(source_names("webdataset:" + path) == Names{""});
  folder.write("records/0.tfrecord", "");
  folder.write("records/cat/1.jpg", "");
  expect_error<UsageError>([&] { located(folder / "records"); }, {"tfrecord:", "imagefolder:"});
}

TEST_CASE("convert: each split becomes a dataset of its own, or the one that is asked for", "[process]") {
  const TemporaryFolder folder;
  write_splits(folder);
  const std::string source = folder / "src", set = folder / "set", one = folder / "one";
  const ConvertOutcome both = run_convert(source + " " + set);
  INFO(both.err);
  REQUIRE(both.code == 0);
  CHECK(both.out.find("train: 3 samples") != std::string::npos);
  CHECK(both.out.find("test: 2 samples") != std::string::npos);
  for (const std::string split : {"train", "test"}) check_same(set + "/" + split, source + "/" + split);
  CHECK(located(set).train.where == set + "/train");
  CHECK(located(set).held_back->where == set + "/test");
  REQUIRE(run_convert(source + " " + one + " --split test").code == 0);
  check_same(one, source + "/test");
  CHECK(run_convert("inspect " + set).out.find("train:\nleat records") != std::string::npos);
  CHECK(run_convert("verify " + source + " --split train").out == "3 samples, 0 bad\n");
  CHECK(run_convert("verify " + set).out == "test:\n2 samples, 0 bad\ntrain:\n3 samples, 0 bad\n");
  const ConvertOutcome none = run_convert(source + " " + one + "2 --split val");
  CHECK(none.code == 2);
  CHECK(none.err.find("no such folder") != std::string::npos);
}

TEST_CASE("convert: splits whose classes differ are refused before anything is written", "[process]") {
  const TemporaryFolder folder;
  write_splits(folder);
  write_jpeg(folder, "src/train/ant/6.jpg", 60);
  const ConvertOutcome outcome = run_convert((folder / "src").string() + " " + (folder / "set").string());
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("--split") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "set.partial"));
}

TEST_CASE("convert: classes called train and test are classes where the user says so", "[process]") {
  const TemporaryFolder folder;
  write_jpeg(folder, "src/train/1.jpg", 10);
  write_jpeg(folder, "src/test/2.jpg", 20);
  const std::string source = folder / "src", set = folder / "set";
  CHECK(run_convert(source + " " + set).code == 2);
  REQUIRE(run_convert("classes:" + source + " " + set).code == 0);
  CHECK(records_of_set(set).schema().classes() == Names{"test", "train"});
}
