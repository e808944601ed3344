// leat-convert as a user starts it: what it writes, and what is left when it is killed or the disk is full.
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>

#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/records/record_source.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/conversions.h"
#include "tests/support/file_operations.h"
#include "tests/support/temporary_folder.h"
#include "tests/tools/run_convert.h"
#include "tools/synthetic/synthetic_folder.h"

namespace {

namespace fs = std::filesystem;
using namespace leat;
using namespace leat::detail;
using namespace leat::test;

using Outcome = ConvertOutcome;

Outcome run(const std::string& arguments, const std::string& before = "") {
  return run_convert(arguments, before);
}

// 80 images of ten classes, made once for all cases of this program.
const std::string& images() {
  static const TemporaryFolder folder;
  static const std::string path = (tools::write_synthetic_image_folder(folder / "images", {.images = 100}),
                                   (folder / "images/train").string());
  return path;
}

// Name -> bytes of all files below a folder.
std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder)] = content_of(entry.path());
  }
  return files;
}

std::size_t shards_in(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    count += entry.path().extension() == ".leat" ? 1 : 0;
  return count;
}

// Some twenty shards.
const std::string kManyShards = " --raw --resize square:224 --zstd 15 --shard-size 600KB";

}  // namespace

TEST_CASE("convert: every byte of an image and its label stay what they are", "[process]") {
  const TemporaryFolder folder;
  const Outcome outcome = run(images() + " " + (folder / "set").string() + " --shard-size 1MB --verify");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.out.find("80 samples") != std::string::npos);
  const RecordConversion files = records_of_folder(images());
  const RecordConversion records = records_of_set(folder / "set");
  REQUIRE(records.size() == files.size());
  for (std::size_t i = 0; i < files.size(); ++i) CHECK(records.read(i).fields == files.read(i).fields);
  CHECK(shards_in(folder / "set") > 2);
  CHECK_FALSE(fs::exists(folder / "set.partial"));
  CHECK_FALSE(fs::exists(folder / "set/leat-convert.json"));
}

TEST_CASE("convert: the bytes are the same for any number of workers, in every format", "[process]") {
  const TemporaryFolder folder;
  for (const std::string to : {"leat", "webdataset", "mds"}) {
    for (const std::string workers : {"1", "4"}) {
      const Outcome outcome = run(images() + " " + (folder / (to + workers)).string() + " --to " + to +
                                  " --resize max:100 --shard-size 100KB --verify --workers " + workers);
      INFO(outcome.err);
      REQUIRE(outcome.code == 0);
    }
    const auto files = files_of(folder / (to + "1"));
    CHECK(files.size() > 2);
    CHECK(files == files_of(folder / (to + "4")));
  }
}

TEST_CASE("convert: from records to records, nothing changes", "[process]") {
  const TemporaryFolder folder;
  REQUIRE(run(images() + " " + (folder / "a").string()).code == 0);
  REQUIRE(run((folder / "a").string() + " " + (folder / "b").string()).code == 0);
  const RecordConversion a = records_of_set(folder / "a"), b = records_of_set(folder / "b");
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a.read(i).fields == b.read(i).fields);
}

TEST_CASE("convert: killed in the middle, nothing looks whole, and resuming gives the same bytes",
          "[process]") {
  const TemporaryFolder folder;
  const std::string set = folder / "set", whole = folder / "whole";
  const auto source = files_of(images());
  const Outcome killed =
      run_convert(images() + " " + set + kManyShards, std::string(kDieAt) + "=60 ", LEAT_CONVERT_DYING);
  INFO(killed.err);
  CHECK(killed.code == 128 + SIGKILL);
  CHECK(shards_in(set + ".partial") >= 3);
  CHECK_FALSE(fs::exists(set));
  CHECK(run("verify " + set + ".partial").code == 2);  // no data set
  CHECK(files_of(images()) == source);

  const Outcome again = run(images() + " " + set + kManyShards);
  CHECK(again.code == 2);
  CHECK(again.err.find("--resume") != std::string::npos);
  const Outcome other = run(images() + " " + set + kManyShards + " --resume --quality 3");
  CHECK(other.code == 2);
  const Outcome differs = run(images() + " " + set + " --resume");
  CHECK(differs.code == 2);
  CHECK(differs.err.find("other options") != std::string::npos);

  const Outcome resumed = run(images() + " " + set + kManyShards + " --resume --verify");
  INFO(resumed.err);
  REQUIRE(resumed.code == 0);
  CHECK(resumed.out.find("were there already") != std::string::npos);
  REQUIRE(run(images() + " " + whole + kManyShards + " --workers 3").code == 0);
  CHECK(files_of(set) == files_of(whole));
}

TEST_CASE("convert: where a file cannot grow, nothing half-written stays, and resuming goes on",
          "[process]") {
  const TemporaryFolder folder;
  const std::string set = folder / "set", whole = folder / "whole", how = " --shard-size 1500KB";
  const Outcome full = run(images() + " " + set + how, "trap \"\" XFSZ; ulimit -f 700; ");
  INFO(full.err);
  CHECK(full.code == 1);
  CHECK(full.err.find("shard-0000") != std::string::npos);
  CHECK_FALSE(fs::exists(set));
  for (const auto& entry : fs::directory_iterator(set + ".partial")) {
    INFO(entry.path());
    CHECK(entry.path().extension() != ".tmp");
  }
  REQUIRE(run(images() + " " + set + how + " --resume").code == 0);
  REQUIRE(run(images() + " " + whole + how).code == 0);
  CHECK(files_of(set) == files_of(whole));
}

TEST_CASE("convert: bad samples stop it, or are skipped and listed with path and reason", "[process]") {
  const TemporaryFolder folder;
  fs::copy(images(), folder / "images", fs::copy_options::recursive);
  const std::string bad = records_of_folder(folder / "images").describe(17);
  fs::resize_file(bad, fs::file_size(bad) / 2);
  const std::string arguments = (folder / "images").string() + " " + (folder / "set").string();
  const Outcome stopped = run(arguments);
  CHECK(stopped.code == 1);
  CHECK(stopped.err.find(bad) != std::string::npos);
  CHECK(stopped.err.find("sample 17") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "set"));
  fs::remove_all((folder / "set").string() + ".partial");
  const Outcome skipped = run(arguments + " --on-error skip");
  REQUIRE(skipped.code == 0);
  CHECK(skipped.err.find("skipped: sample 17: " + bad) != std::string::npos);
  CHECK(RecordSource(folder / "set").size() == 79);
}

TEST_CASE("convert: stopped at a bad sample, it is resumed to the bytes of a run that skips it",
          "[process]") {
  const TemporaryFolder folder;
  fs::copy(images(), folder / "images", fs::copy_options::recursive);
  const RecordConversion source = records_of_folder(folder / "images");
  for (const std::size_t index : {60, 70})
    fs::resize_file(source.describe(index), fs::file_size(source.describe(index)) / 2);
  const std::string from = (folder / "images").string() + " ", how = " --shard-size 200KB";
  const std::string set = folder / "set", whole = folder / "whole";
  CHECK(run(from + set + how).code == 1);
  REQUIRE(shards_in(set + ".partial") > 0);
  const Outcome resumed = run(from + set + how + " --resume --on-error skip");
  INFO(resumed.err);
  REQUIRE(resumed.code == 0);
  CHECK(resumed.out.find("were there already") != std::string::npos);
  CHECK(resumed.err.find("skipped: sample 60: ") != std::string::npos);
  CHECK(resumed.err.find("skipped: sample 70: ") != std::string::npos);
  REQUIRE(run(from + whole + how + " --on-error skip").code == 0);
  CHECK(files_of(set) == files_of(whole));
}

TEST_CASE("convert: verify lists bad samples by their numbers, with exit code 1", "[process]") {
  const TemporaryFolder folder;
  const std::string set = folder / "set";
  REQUIRE(run(images() + " " + set).code == 0);
  CHECK(run("verify " + set).code == 0);
  CHECK(run("verify " + images()).code == 0);
  const RecordSet records(set);
  const IndexEntry entry = records.shard(0).entry(33);
  std::string content = content_of(records.path_of(0));
  content[entry.offset + entry.stored / 2] ^= 4;
  replace_content(records.path_of(0), content);
  const Outcome outcome = run("verify " + set);
  CHECK(outcome.code == 1);
  CHECK(outcome.out.find("sample 33: ") != std::string::npos);
  CHECK(outcome.out.find("80 samples, 1 bad") != std::string::npos);
  CHECK(run("inspect " + set).out.find("80 samples in 1 shards") != std::string::npos);
}

TEST_CASE("convert: a command line or a source that is wrong is one line and exit code 2", "[process]") {
  const TemporaryFolder folder;
  folder.write("empty/readme.txt", "nothing here");
  const std::string empty = folder / "empty", set = folder / "set";
  for (const std::string& arguments :
       {std::string(), set, images() + " " + empty, empty + " " + set, set + " " + set, "inspect " + set,
        images() + " " + set + " --resize 256", images() + " " + set + " --zstd 23",
        images() + " " + set + " --to mds --zstd 3", images() + " " + set + " --shard-size 0",
        images() + " " + set + " --raw --quality 90", images() + " " + set + " --to mds --shard-size 8GiB"}) {
    const Outcome outcome = run(arguments);
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(set));
    CHECK_FALSE(fs::exists(set + ".partial"));
  }
}
