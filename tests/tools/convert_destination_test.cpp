// Where leat-convert may write, and what becomes of samples that cannot be written.
#include "tools/convert/destination.h"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image/codecs/png_encoder.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_operations.h"
#include "tests/tools/run_convert.h"
#include "tools/common/command_line.h"

namespace {

namespace fs = std::filesystem;
using namespace leat;
using namespace leat::detail;
using namespace leat::test;
using tools::UsageError;

std::string file_of(const std::vector<std::byte>& bytes) {
  return std::string(text_of(bytes));
}

// Two images, of two classes; one of them twice under one name but for the kind.
void write_images(const TemporaryFolder& folder) {
  const Image image = image_of({8, 6}, ramp);
  folder.write("src/cat/1.jpg", file_of(encode_jpeg(image.view())));
  folder.write("src/dog/2.jpg", file_of(encode_jpeg(image.view())));
  folder.write("src/dog/2.png", file_of(encode_png(image.view())));
}

tools::ConvertOptions options_of(const TemporaryFolder& folder, const fs::path& destination) {
  tools::ConvertOptions options;
  options.source = (folder / "src").string();
  options.destination = destination;
  return options;
}

}  // namespace

TEST_CASE("a destination in the source is refused, through links and dots too") {
  const TemporaryFolder folder;
  write_images(folder);
  fs::create_directory_symlink(folder / "src", folder / "link");
  fs::create_directory(folder / "src/empty");
  for (const char* name : {"src/out", "src/cat/../out", "link/deep/out", "src/empty", "src/./a/"}) {
    INFO(name);
    expect_error<UsageError>([&] { find_destination(options_of(folder, folder / name)); }, {"only read"});
  }
  expect_error<UsageError>([&] { find_destination(options_of(folder, folder / "src")); }, {"exists already"});
  const tools::Destination beside = find_destination(options_of(folder, folder / "src2/"));
  CHECK(beside.folder == folder / "src2");
  CHECK(beside.partial == folder / "src2.partial");
}

TEST_CASE("a destination that could not be replaced at the end is refused at the start") {
  const TemporaryFolder folder;
  write_images(folder);
  fs::create_directory(folder / "empty");
  fs::create_directory_symlink(folder / "empty", folder / "link");
  fs::create_directory_symlink(folder / "nowhere", folder / "dangling");
  folder.write("full/x", "");
  folder.write("file", "");
  for (const char* name : {"link", "dangling"})
    expect_error<UsageError>([&] { find_destination(options_of(folder, folder / name)); }, {"is a link"});
  for (const char* name : {"full", "file"})
    expect_error<UsageError>([&] { find_destination(options_of(folder, folder / name)); },
                             {"exists already"});
  CHECK(find_destination(options_of(folder, folder / "empty")).folder == folder / "empty");
  folder.write("new.partial/leat-convert.json", "{}");
  const tools::Destination unfinished = find_destination(options_of(folder, folder / "new"));
  expect_error<UsageError>([&] { tools::WorkFolder(unfinished, false); }, {"--resume", "broken off"});
  CHECK(tools::WorkFolder(unfinished, true).path() == folder / "new.partial");
  folder.write("other.partial/x", "");
  const tools::Destination other = find_destination(options_of(folder, folder / "other"));
  for (const bool resume : {false, true})
    expect_error<UsageError>([&] { tools::WorkFolder(other, resume); }, {"no unfinished conversion"});
}

TEST_CASE("a folder is held by one conversion at a time, and the others are told so before any work") {
  const TemporaryFolder folder;
  write_images(folder);
  const tools::Destination destination = find_destination(options_of(folder, folder / "new"));
  {
    const tools::WorkFolder first(destination, false);
    for (const bool resume : {false, true})
      expect_error<UsageError>([&] { tools::WorkFolder(destination, resume); },
                               {"another leat-convert", "new"});
    folder.write("new.partial/leat-convert.json", "{}");
    for (const bool resume : {false, true})
      expect_error<UsageError>([&] { tools::WorkFolder(destination, resume); },
                               {"another leat-convert", "new"});
  }
  const tools::WorkFolder third(destination, true);
}

TEST_CASE("a folder that another one replaces before it is locked is not taken for the one that is locked") {
  const TemporaryFolder folder;
  write_images(folder);
  const tools::Destination destination = find_destination(options_of(folder, folder / "new"));
  run_before_next_lock([&] {
    fs::rename(folder / "new.partial", folder / "elsewhere");
    fs::create_directory(folder / "new.partial");
  });
  const tools::WorkFolder work(destination, false);
  CHECK(fs::exists(folder / "elsewhere"));
  expect_error<UsageError>([&] { tools::WorkFolder(destination, false); }, {"another leat-convert"});
}

TEST_CASE("a folder into which nothing was written is removed") {
  const TemporaryFolder folder;
  write_images(folder);
  const tools::Destination destination = find_destination(options_of(folder, folder / "new"));
  { const tools::WorkFolder unused(destination, false); }
  CHECK_FALSE(fs::exists(folder / "new.partial"));
  fs::create_directories(folder / "new.partial/train");  // as a killed process leaves it
  CHECK(tools::WorkFolder(destination, false).path() == folder / "new.partial");
}

TEST_CASE("a conversion has its name once its files are on the disk, and its state until then") {
  const TemporaryFolder folder;
  write_images(folder);
  tools::WorkFolder work(find_destination(options_of(folder, folder / "new")), false);
  const std::string partial = folder / "new.partial", named = folder / "new", state = "/leat-convert.json";
  for (const char* split : {"train", "test"}) {
    const fs::path made = work.folder_of(split);
    folder.write("new.partial/" + made.filename().string() + state, "{}");
  }
  const auto operations = recorded_operations([&] { work.publish({"train", "test"}); });
  CHECK(operations == std::vector<FileOperation>{{"fsync", partial + "/train"},
                                                 {"fsync", partial + "/test"},
                                                 {"fsync", partial},
                                                 {"rename", partial},
                                                 {"fsync", folder.path()},
                                                 {"remove", named + "/train" + state},
                                                 {"fsync", named + "/train"},
                                                 {"remove", named + "/test" + state},
                                                 {"fsync", named + "/test"}});
}

TEST_CASE("convert: what a format cannot hold beside its neighbors is named, or skipped and listed",
          "[process]") {
  const TemporaryFolder folder;
  write_images(folder);
  const std::string source = (folder / "src").string(), set = (folder / "set").string();
  const ConvertOutcome stopped = run_convert(source + " " + set + " --to webdataset");
  CHECK(stopped.code == 1);
  CHECK(stopped.err.find("src/dog/2.png: sample 2: ") != std::string::npos);
  CHECK_FALSE(fs::exists(set));
  fs::remove_all(set + ".partial");
  const ConvertOutcome skipped = run_convert(source + " " + set + " --to webdataset --on-error skip");
  CHECK(skipped.code == 0);
  CHECK(skipped.err.find("skipped: sample 2: ") != std::string::npos);
  CHECK(skipped.out.find("2 samples in 1 shards") != std::string::npos);
}

TEST_CASE("convert: where every sample is bad, nothing is made of them", "[process]") {
  const TemporaryFolder folder;
  folder.write("src/cat/1.jpg", "no image");
  folder.write("src/cat/2.png", "none, either");
  const ConvertOutcome outcome =
      run_convert((folder / "src").string() + " " + (folder / "set").string() + " --on-error skip");
  CHECK(outcome.code == 1);
  CHECK(outcome.err.find("all of its 2 samples are bad") != std::string::npos);
  CHECK_FALSE(fs::exists(folder / "set"));
}
