// The images that leat-sweep measures, and the steps of loading them.
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/folder/image_folder_source.h"
#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/image_folder.h"
#include "leat/datasets/in_memory.h"
#include "leat/datasets/record_writer.h"
#include "leat/loader/os/cpus.h"
#include "leat/loader/sweep/isolated.h"
#include "tests/support/conversions.h"
#include "tests/support/temporary_folder.h"
#include "tools/common/data_source.h"
#include "tools/sweep/sample_costs.h"
#include "tools/sweep/stored_images.h"
#include "tools/sweep/what_if.h"
#include "tools/synthetic/synthetic_folder.h"

using namespace leat::detail;
using namespace leat::tools;

namespace {

class Images {
 public:
  Images() {
    leat::tools::SyntheticFolderOptions options;
    options.images = 50;
    leat::tools::write_synthetic_image_folder(folder_ / "images", options);
    const leat::detail::RecordConversion source = leat::test::records_of_folder(files());
    leat::RecordWriter writer(records(), source.schema());
    for (std::size_t i = 0; i < source.size(); ++i) writer.add(source.read(i));
    writer.finish();
  }
  std::string files() const { return folder_ / "images/train"; }
  std::string records() const { return folder_ / "records"; }
  // Cuts the first image off, and adds a class without images.
  void damage() const {
    std::filesystem::create_directory(files() + "/none");
    const std::string first = leat::test::records_of_folder(files(), true).describe(0);
    std::filesystem::resize_file(first, std::filesystem::file_size(first) / 2);
  }

 private:
  leat::test::TemporaryFolder folder_;
};

ImageLocation located(const std::string& path) {
  return find_images(path, [](const std::string&) {});
}

}  // namespace

TEST_CASE("the stored bytes of an image are the same in a file and in a record") {
  const Images images;
  SweepOptions options;
  options.image_size = 32;
  const SweptImages files(located(images.files()), options);
  const SweptImages records(located(images.records()), options);
  const auto from_files = open_stored_images(files.dataset()),
             from_records = open_stored_images(records.dataset());
  REQUIRE(from_files);
  REQUIRE(from_records);
  CHECK(from_files->are_files());
  CHECK_FALSE(from_records->are_files());
  for (std::size_t i = 0; i < files.dataset().size(); ++i) {
    const auto file = from_files->read(i), record = from_records->read(i);
    CHECK(is_decoded_file(file));
    CHECK(std::vector(file.begin(), file.end()) == std::vector(record.begin(), record.end()));
  }
}

TEST_CASE("datasets that hold no images have no stored images") {
  const leat::InMemoryDataset numbers({leat::InMemoryDataset::column<float>("x", {}, {1, 2})});
  CHECK(open_stored_images(numbers) == nullptr);
  CHECK_FALSE(is_decoded_file({}));
}

TEST_CASE("indices are spread over all samples") {
  CHECK(spread_over(0, 5).empty());
  CHECK(spread_over(3, 5) == std::vector<std::size_t>{0, 1, 2});
  CHECK(spread_over(10, 4) == std::vector<std::size_t>{0, 2, 5, 7});
}

TEST_CASE("files are spread over all classes, however few of them are taken") {
  const leat::test::TemporaryFolder folder;
  for (const char* name : {"a/1.jpg", "a/2.jpg", "b/1.jpg", "b/2.jpg", "c/1.jpg", "c/2.jpg"})
    folder.write(name, std::string(100, 'x'));
  const leat::ImageFolder images(folder.path(), leat::CenterCrop{1});
  CHECK(spread_over_files(images, 100, 600).size() == 6);
  CHECK(spread_over_files(images, 3, 600) == std::vector<std::size_t>{0, 2, 4});
  CHECK(spread_over_files(images, 100, 350) == std::vector<std::size_t>{0, 2, 4});
  CHECK(spread_over_files(images, 100, 1) == std::vector<std::size_t>{0});
}

TEST_CASE("the first change is tried: records for files, a cache for records", "[process]") {
  const Images images;
  SweepOptions options;
  options.image_size = 32;
  options.batch_size = 8;
  options.seconds = 0.03;
  options.rounds = 3;
  const StepTimes times{
      .read = 30, .read_open = 20, .decode = 500, .sample = 700, .deliver = 710, .copy = 15};
  for (const bool are_files : {true, false}) {
    const SweptImages swept(located(are_files ? images.files() : images.records()), options);
    const leat::SweepResult result =
        leat::sweep([&](int workers) { return swept.loader(workers); },
                    {.num_workers = {1}, .rounds = 1, .round_time = round_time(options)});
    std::vector<std::string> said;
    const auto all =
        what_if(swept, options, result, times, [&](const std::string& line) { said.push_back(line); });
    REQUIRE(all.size() == (are_files ? 3 : 2));
    CHECK(all[0].change.starts_with(are_files ? "Leat records" : "Finished samples"));
    CHECK(all[0].measured);
    CHECK(all[0].measured->lowest > 0);
    CHECK(all[0].predicted > all[0].now);
    CHECK_FALSE(all[1].measured);
    CHECK(said.size() == 1);
  }
}

TEST_CASE("what is accepted in a sweep is accepted where its changes are predicted and tried", "[process]") {
  const Images images;
  images.damage();
  SweepOptions options;
  options.image_size = 32;
  options.batch_size = 8;
  options.seconds = 0.03;
  options.rounds = 3;
  ImageLocation location = located(images.files());
  location.allow_corrupt = location.allow_empty = true;
  const SweptImages swept(location, options);
  const leat::SweepResult result =
      leat::sweep([&](int workers) { return swept.loader(workers); },
                  {.num_workers = {1}, .rounds = 1, .round_time = round_time(options)});
  const StepTimes times = measure_steps(swept);
  CHECK(times.decode > 0);
  const auto all = what_if(swept, options, result, times, [](const std::string&) {});
  CHECK(all.at(0).measured);
}

TEST_CASE("a sweep does not warn that there are more workers than CPUs", "[process]") {
  const Images images;
  const leat::test::TemporaryFolder folder;
  const std::string path = folder / "stderr";
  SweepOptions options;
  options.image_size = 32;
  const SweptImages swept(located(images.files()), options);
  leat::detail::run_isolated([&] {
    if (std::freopen(path.c_str(), "w", stderr) == nullptr) leat::throw_errno("freopen");
    swept.loader(static_cast<int>(leat::detail::usable_cpus()) + 2).next();
    return std::string();
  });
  std::ifstream file(path);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}).empty());
}

TEST_CASE("all steps of loading an image take time") {
  const Images images;
  SweepOptions options;
  options.image_size = 32;
  options.batch_size = 8;
  for (const std::string& path : {images.files(), images.records()}) {
    const StepTimes times = measure_steps(SweptImages(located(path), options));
    CHECK(times.read > 0);
    CHECK(times.read_open > 0);
    CHECK(times.decode > 0);
    CHECK(times.sample > 0);
    CHECK(times.deliver > 0);
    CHECK(times.copy > 0);
  }
}
