// What leat-convert compares before it goes on, and before it says that all is well.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "leat/datasets/formats/mds/mds_writer.h"
#include "leat/datasets/formats/shard_set_writer.h"
#include "leat/datasets/formats/webdataset/webdataset_writer.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/io/xxh3.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/tools/run_convert.h"
#include "tools/common/command_line.h"
#include "tools/convert/conversion.h"
#include "tools/convert/output_check.h"
#include "tools/convert/resume_state.h"
#include "tools/convert/sources.h"

namespace {

namespace fs = std::filesystem;
using namespace leat;
using namespace leat::detail;
using namespace leat::test;
using namespace leat::tools;

void write_jpeg(const TemporaryFolder& folder, const std::string& name, int level) {
  const Image image = image_of({8, 6}, [&](int, int, int) { return level; });
  folder.write(name, text_of(encode_jpeg(image.view())));
}

std::string job_of(const std::string& source, const ConvertOptions& options = {}) {
  const SourceLocation location = find_source(source);
  return describe_job(*tools::open_source(location), location, options);
}

// The job that was begun from it before `change` is another one after it; the text says what is.
template <class Change>
void check_refused(const TemporaryFolder& folder, const std::string& source, Change&& change,
                   std::initializer_list<std::string_view> fragments) {
  const fs::path state = folder / "state";
  fs::create_directories(state);
  save_state(state, {job_of(source), {}, 0, {}});
  CHECK(load_state(state, job_of(source)).next == 0);
  change();
  expect_error<UsageError>([&] { load_state(state, job_of(source)); }, fragments);
}

// A shard of two samples, as the conversion writes it.
std::vector<ShardSummary> write_shards(const fs::path& folder, const ShardWriter& format) {
  ShardSetWriter writer(folder, format, 1 << 20);
  for (std::size_t i = 0; i < 2; ++i)
    writer.add(format.encode({{std::vector<std::byte>(300, std::byte{1})}}, i));
  writer.finish();
  return writer.shards();
}

// Of three images in shards of their own, and a fourth, empty one, at which the conversion stopped. Resuming may skip
// it.
ConvertOptions broken_off(const TemporaryFolder& folder, Target to) {
  for (int i = 0; i < 3; ++i) write_jpeg(folder, "src/cat/" + std::to_string(i) + ".jpg", 50 * i);
  folder.write("src/cat/3.jpg", "");
  ConvertOptions options;
  options.source = folder / "src";
  options.destination = folder / "dst";
  options.to = to;
  options.shard_bytes = 900;
  expect_error<DataError>([&] { convert(options); }, {"3.jpg"});
  options.resume = true;
  options.skip_errors = true;
  return options;
}

// Returns what it held before.
std::string change_byte(const fs::path& file, std::size_t at) {
  std::string content = content_of(file);
  std::string changed = content;
  changed.at(at) = static_cast<char>(changed[at] ^ 1);
  replace_content(file, changed);
  return content;
}

}  // namespace

TEST_CASE("a conversion is not resumed from a source whose files were renamed, exchanged or replaced") {
  const TemporaryFolder folder;
  const auto write_all = [&] {
    fs::remove_all(folder / "src");
    for (int i = 0; i < 3; ++i) write_jpeg(folder, "src/cat/" + std::to_string(i) + ".jpg", 50 * i);
    // Times that differ, however coarse the clock is.
    for (int i = 0; i < 3; ++i) {
      fs::last_write_time(folder / ("src/cat/" + std::to_string(i) + ".jpg"),
                          fs::file_time_type::clock::now() - std::chrono::hours(i + 1));
    }
  };
  const std::string source = folder / "src";
  const auto cat = [&](const char* name) { return folder / "src/cat" / name; };
  write_all();
  check_refused(folder, source, [&] { fs::rename(cat("1.jpg"), cat("9.jpg")); },
                {"the names, sizes or times"});
  write_all();
  check_refused(folder, source,
                [&] {
                  fs::rename(cat("1.jpg"), cat("x"));
                  fs::rename(cat("2.jpg"), cat("1.jpg"));
                  fs::rename(cat("x"), cat("2.jpg"));
                },
                {"the names, sizes or times"});
  write_all();
  check_refused(folder, source, [&] { write_jpeg(folder, "src/cat/1.jpg", 77); },
                {"the names, sizes or times"});
  write_all();
  check_refused(folder, source, [&] { fs::remove(cat("2.jpg")); }, {"the number of samples"});
}

TEST_CASE("a conversion is not resumed from a file whose samples were exchanged in place") {
  const TemporaryFolder folder;
  folder.write("a.txt", "1");
  folder.write("b.txt", "2");
  const std::string manifest = folder.write("m.csv", "path,label\na.txt,1\nb.txt,2\n");
  check_refused(folder, manifest, [&] { folder.write("a.txt", "3"); }, {"names, sizes or times"});
}

TEST_CASE("what differs from the conversion that was begun is named as the user knows it") {
  const TemporaryFolder folder;
  write_jpeg(folder, "src/cat/1.jpg", 1);
  const std::string source = folder / "src";
  save_state(folder.path(), {job_of(source), {}, 0, {}});
  ConvertOptions other;
  other.quality = 80;
  other.to = Target::mds;
  expect_error<UsageError>([&] { load_state(folder.path(), job_of(source, other)); },
                           {"(--to, --quality differs)"});
}

TEST_CASE("a conversion that skipped bad samples goes on only where they may be skipped") {
  const TemporaryFolder folder;
  for (const char* name : {"src/cat/1.jpg", "src/cat/2.jpg", "src/cat/3.jpg"}) write_jpeg(folder, name, 1);
  ConvertOptions options;
  options.source = folder / "src";
  options.destination = folder / "dst";
  options.resume = true;
  const fs::path partial = folder / "dst.partial";
  fs::create_directories(partial);
  save_state(partial, {job_of(options.source, options), {}, 1, {{0, "1.jpg", "it was cut off"}}});
  expect_error<UsageError>([&] { convert(options); }, {"lacks 1 bad sample:", "--on-error skip"});
  options.skip_errors = true;
  const std::vector<ConversionResult> results = convert(options);
  CHECK(results.at(0).samples == 2);
  CHECK(results.at(0).skipped.size() == 1);
}

TEST_CASE("a conversion is not resumed on shards that are not what was written") {
  const TemporaryFolder folder;
  ShardSummary first, second;
  first.file = "a.leat";
  first.bytes = 5;
  second.file = "b.leat";
  second.bytes = 4;
  folder.write("a.leat", "12345");
  folder.write("b.leat", "1234");
  first.checksum = checksum_of_file(folder / "a.leat");
  second.checksum = checksum_of_file(folder / "b.leat");
  save_state(folder.path(), {"job", {first, second}, 2, {}});
  CHECK(load_state(folder.path(), "job").shards.size() == 2);
  const auto refused = [&] {
    expect_error<UsageError>([&] { load_state(folder.path(), "job"); }, {"b.leat", "not the 4 bytes"});
  };
  folder.write("b.leat", "123");
  refused();
  folder.write("b.leat", "12345");
  refused();
  fs::remove(folder / "b.leat");
  refused();
}

TEST_CASE("a conversion to any format is not resumed where a byte of a finished shard changed") {
  for (const Target to : {Target::leat, Target::webdataset, Target::mds}) {
    const TemporaryFolder folder;
    const ConvertOptions options = broken_off(folder, to);
    const fs::path partial = folder / "dst.partial";
    const std::vector<ShardSummary> shards = load_state(partial, job_of(options.source, options)).shards;
    REQUIRE(shards.size() >= 2);
    for (const ShardSummary& shard : shards) {
      const fs::path path = partial / shard.file;
      for (const std::size_t at :
           {std::size_t{0}, std::size_t{shard.bytes / 2}, std::size_t{shard.bytes - 1}}) {
        const std::string sound = change_byte(path, at);
        expect_error<UsageError>([&] { convert(options); }, {path.string(), "not what was written"});
        CHECK_FALSE(fs::exists(options.destination));
        replace_content(path, sound);
      }
    }
    const std::vector<ConversionResult> results = convert(options);
    CHECK(results.at(0).samples == 3);
    CHECK(results.at(0).resumed >= 2);
  }
}

TEST_CASE("a conversion whose verification failed is verified again whenever it is resumed") {
  const TemporaryFolder folder;
  ConvertOptions options = broken_off(folder, Target::leat);
  const fs::path partial = folder / "dst.partial";
  const std::string job = job_of(options.source, options);
  ResumeState state = load_state(partial, job);
  // A record that differs from its checksum, in a shard whose own checksum is right: only verifying finds it.
  ShardSummary& shard = state.shards.at(1);
  const std::string name = shard.file, sound = change_byte(partial / name, shard.bytes / 2);
  const std::uint64_t checksum = std::exchange(shard.checksum, checksum_of_file(partial / name));
  save_state(partial, state);
  options.verify = true;
  expect_error<DataError>([&] { convert(options); }, {name});
  CHECK(load_state(partial, job).verify);
  options.verify = false;
  expect_error<DataError>([&] { convert(options); }, {name});
  CHECK_FALSE(fs::exists(options.destination));
  state = load_state(partial, job);
  CHECK(state.verify);
  replace_content(partial / name, sound);
  state.shards.at(1).checksum = checksum;
  save_state(partial, state);
  CHECK(convert(options).at(0).samples == 3);
}

TEST_CASE("verifying finds each byte that changed on the disk, in shards of every foreign format") {
  const RecordSchema schema({{Field::text("data", 1000), Content::bytes}});
  std::vector<std::pair<Target, std::unique_ptr<ShardWriter>>> formats;
  formats.emplace_back(Target::webdataset, std::make_unique<WebDatasetShardWriter>(schema));
  formats.emplace_back(Target::mds, std::make_unique<MdsShardWriter>(schema, 1 << 20));
  for (const auto& [target, format] : formats) {
    const TemporaryFolder folder;
    const std::vector<ShardSummary> shards = write_shards(folder.path(), *format);
    REQUIRE(shards.size() == 1);
    check_output(folder.path(), shards, target);
    const fs::path path = folder / shards[0].file;
    const std::string sound = content_of(path);
    for (std::size_t at = 0; at < sound.size(); at += sound.size() / 7) {
      std::string changed = sound;
      changed[at] = static_cast<char>(changed[at] ^ 1);
      replace_content(path, changed);
      expect_error<DataError>([&] { check_output(folder.path(), shards, target); }, {path.string()});
    }
    replace_content(path, sound.substr(0, sound.size() - 1));
    expect_error<DataError>([&] { check_output(folder.path(), shards, target); }, {path.string()});
    fs::remove(path);
    expect_error<Error>([&] { check_output(folder.path(), shards, target); }, {path.string()});
  }
}
