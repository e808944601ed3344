#include "tools/common/data_source.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>

#include "leat/datasets/image_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tools/common/command_line.h"
#include "tools/common/image_set.h"
#include "tools/common/transforms.h"

using namespace leat;
using namespace leat::tools;
using test::expect_error;
using test::TemporaryFolder;

namespace {

void silent(const std::string&) {}

// The value of an environment variable for as long as this lives.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~ScopedVariable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("a folder of classes is recognized, and nothing is held back in a folder of its own") {
  const TemporaryFolder folder;
  folder.write("cat/1.jpg", "");
  folder.write("dog/deeper/2.JPEG", "");
  for (const std::string scheme : {"", "imagefolder:"}) {
    const ImageLocation found = find_images(scheme + folder.path().string(), silent);
    CHECK(found.train.where == folder.path());
    CHECK(!found.held_back);
  }
}

TEST_CASE("train/ comes with test/ or val/ or neither") {
  const TemporaryFolder folder;
  folder.write("train/cat/1.jpg", "");
  CHECK(find_images(folder.path(), silent).train.where == folder / "train");
  CHECK(!find_images(folder.path(), silent).held_back);
  folder.write("val/cat/1.jpg", "");
  CHECK(find_images(folder.path(), silent).held_back->where == folder / "val");
  folder.write("test/cat/1.jpg", "");
  CHECK(find_images(folder.path(), silent).held_back->where == folder / "test");
}

TEST_CASE("what is no data is refused with what is known") {
  const TemporaryFolder folder;
  const std::string file = folder.write("images.zip", "");
  expect_error<UsageError>([&] { find_images(folder / "absent", silent); }, {"nothing at", "absent"});
  expect_error<UsageError>(
      [&] { ImageSet(find_images(folder.path(), silent), Part::all, test_transforms(8)); },
      {"no class folders"});
  expect_error<UsageError>([&] { find_images(file, silent); }, {"images.zip", "image folders", "webdataset"});
  expect_error<UsageError>([&] { find_images("s3://bucket/x", silent); }, {"s3", "webdataset:", "leat:"});
  for (const char* count : {"", "x", "49", "-5", "100x", "99999999999"}) {
    INFO("'" << count << "'");
    expect_error<UsageError>([&] { find_images(std::string("synthetic:") + count, silent); }, {"from 50 to"});
  }
}

TEST_CASE("formats are recognized, or named") {
  const TemporaryFolder folder;
  const auto format_at = [&](const std::string& uri) { return find_images(uri, silent).train.format; };
  CHECK(format_at(folder.write("a/x.tar", "").parent_path()) == SourceFormat::webdataset);
  CHECK(format_at(folder / "a/x-{00..03}.tar") == SourceFormat::webdataset);
  CHECK(format_at(folder.write("m.csv", "")) == SourceFormat::manifest);
  CHECK(format_at(folder.write("b.beton", "")) == SourceFormat::beton);
  CHECK(format_at(folder.write("mds/index.json", "").parent_path()) == SourceFormat::mds);
  CHECK(format_at("tfrecord:" + folder.path().string()) == SourceFormat::tfrecord);
  const std::string idx = folder.write("i/train-images-idx3-ubyte.gz", "").parent_path();
  CHECK(format_at(idx) == SourceFormat::idx);
  CHECK(find_images(idx, silent).train.split == "train");
  CHECK_FALSE(find_images(idx, silent).held_back);
  folder.write("i/t10k-images-idx3-ubyte", "");
  CHECK(find_images("idx:" + idx, silent).train.split == "train");
  CHECK(find_images("idx:" + idx, silent).held_back->where == idx);
  CHECK(find_images("idx:" + idx, silent).held_back->split == "test");
  const std::string test_alone = folder.write("j/t10k-images-idx3-ubyte", "").parent_path();
  expect_error<UsageError>([&] { find_images(test_alone, silent); }, {test_alone, "split test", "no train"});
  folder.write("split/train/0.tfrecord", "");
  folder.write("split/val/0.tfrecord", "");
  const ImageLocation split = find_images(folder / "split", silent);
  CHECK(split.train.format == SourceFormat::tfrecord);
  CHECK(split.train.where == folder / "split/train");
  CHECK(split.held_back->where == folder / "split/val");
  expect_error<UsageError>([&] { find_images(folder / "absent.tar", silent); }, {"nothing at"});
}

TEST_CASE("a manifest's images are divided as a folder's are") {
  const TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 20; ++i) rows += std::to_string(i) + ".jpg," + (i < 10 ? "cat" : "dog") + "\n";
  folder.write("0.jpg", "");  // the first sample tells which fields there are
  const ImageLocation location = find_images(folder.write("m.csv", rows), silent);
  CHECK(ImageSet(location, Part::all, test_transforms(8)).dataset().size() == 20);
  const ImageSet train(location, Part::train, test_transforms(8)),
      test(location, Part::held_back, test_transforms(8));
  CHECK(train.dataset().size() == 18);
  CHECK(test.dataset().size() == 2);
  CHECK(test.dataset().describe(1).find("19.jpg") != std::string::npos);
  CHECK(train.classes() == std::vector<std::string>{"cat", "dog"});
}

TEST_CASE("labels that are no numbers of classes are refused") {
  const TemporaryFolder folder;
  folder.write("0.jpg", "");
  for (const std::string label : {"1000000", "-1"}) {
    const ImageLocation location =
        find_images(folder.write("m.csv", "0.jpg," + label + "\n0.jpg,0\n"), silent);
    expect_error<UsageError>([&] { ImageSet(location, Part::train, test_transforms(8)); },
                             {"the label " + label, "from 0 to 999999"});
  }
}

TEST_CASE("generated images are made once") {
  const TemporaryFolder folder;
  const ScopedVariable cache("LEAT_CACHE_DIR", folder.path().c_str());
  int said = 0;
  const auto say = [&](const std::string& line) {
    ++said;
    CHECK(line.find("50 images") != std::string::npos);
  };
  const ImageLocation first = find_images("synthetic:50", say);
  const ImageLocation second = find_images("synthetic:50", say);
  CHECK(said == 1);
  CHECK(first.train.where == second.train.where);
  const ImageSet train(first, Part::train, test_transforms(8));
  const ImageSet test(first, Part::held_back, test_transforms(8));
  CHECK(train.dataset().size() == 40);
  CHECK(test.dataset().size() == 10);
  CHECK(train.classes().size() == 10);
  CHECK(train.classes() == test.classes());
}

TEST_CASE("the cache folder follows the environment") {
  const ScopedVariable own("LEAT_CACHE_DIR", nullptr), all("XDG_CACHE_HOME", "/all"), home("HOME", "/me");
  CHECK(cache_folder() == "/all/leat");
  {
    const ScopedVariable set("LEAT_CACHE_DIR", "/mine");
    CHECK(cache_folder() == "/mine");
  }
  {
    const ScopedVariable unset("XDG_CACHE_HOME", nullptr);
    CHECK(cache_folder() == "/me/.cache/leat");
    const ScopedVariable nobody("HOME", nullptr);
    expect_error<UsageError>([] { cache_folder(); }, {"LEAT_CACHE_DIR"});
  }
}

TEST_CASE("every tenth image of each class is held back") {
  std::vector<std::int64_t> labels(25, 0);
  labels.resize(34, 1);  // nine of class 1
  labels.resize(44, 2);  // ten of class 2
  CHECK(tenths(labels, true) == std::vector<std::size_t>{9, 19, 43});
  const auto rest = tenths(labels, false);
  CHECK(rest.size() == 41);
  CHECK(std::find(rest.begin(), rest.end(), 19) == rest.end());
}

TEST_CASE("a folder without held-back images serves all or its parts") {
  const TemporaryFolder folder;
  for (int i = 0; i < 10; ++i) folder.write("cat/" + std::to_string(i) + ".jpg", "");
  folder.write("dog/0.jpg", "");
  const ImageLocation location = find_images(folder.path(), silent);
  CHECK(ImageSet(location, Part::all, test_transforms(8)).dataset().size() == 11);
  CHECK(ImageSet(location, Part::train, test_transforms(8)).dataset().size() == 10);
  const ImageSet held_back(location, Part::held_back, test_transforms(8));
  REQUIRE(held_back.dataset().size() == 1);
  CHECK(held_back.dataset().describe(0).find("cat/9.jpg") != std::string::npos);
  std::filesystem::remove(folder / "cat/9.jpg");
  expect_error<UsageError>([&] { ImageSet(location, Part::held_back, test_transforms(8)); },
                           {"held back", "test/"});
}
