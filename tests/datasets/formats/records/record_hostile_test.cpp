// Shards that are not what they should be.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "leat/datasets/formats/records/manifest.h"
#include "leat/datasets/formats/records/record_set.h"
#include "leat/datasets/formats/records/shard_parts.h"
#include "leat/datasets/io/xxh3.h"
#include "leat/datasets/record_dataset.h"
#include "leat/datasets/verify_records.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"

namespace leat::test {

using namespace leat::detail;

namespace fs = std::filesystem;
using Zstd = RecordWriterOptions::Zstd;

namespace {

// One shard of 20 records, and what its file holds.
class OneShard {
 public:
  explicit OneShard(Zstd zstd = Zstd::off)
      : OneShard([&](const fs::path& set) { write_mixed(set, 20, {.zstd = zstd}); }) {}
  explicit OneShard(const std::function<void(const fs::path& set)>& write) {
    write(folder_ / "set");
    bytes_ = content_of(path());
    std::memcpy(&footer_, bytes_.data() + bytes_.size() - kFooterBytes, sizeof footer_);
  }

  fs::path path() const { return folder_ / "set/shard-00000.leat"; }
  fs::path set() const { return folder_ / "set"; }
  const std::string& bytes() const { return bytes_; }
  const ShardFooter& footer() const { return footer_; }

  void replace(const std::string& content) const { replace_content(path(), content); }

  // Changes one entry of the index, and makes the index's checksum and the footer's sums right again.
  void edit_entry(std::size_t record, const std::function<void(IndexEntry&)>& edit) const {
    write_with_entry(bytes_, record, edit);
  }

  // Changes the bytes of a record, and its checksums.
  void edit_record(std::size_t record, const std::function<void(std::span<std::byte>)>& edit) const {
    std::string content = bytes_;
    write_with_entry(content, record, [&](IndexEntry& entry) {
      const auto body = std::as_writable_bytes(std::span(content)).subspan(entry.offset, entry.stored);
      edit(body);
      entry.checksum = xxh3(body);
    });
  }

  void edit_footer(const std::function<void(ShardFooter&)>& edit) const {
    ShardFooter changed = footer_;
    edit(changed);
    const auto tail = to_bytes(changed);
    std::string content = bytes_;
    std::memcpy(content.data() + content.size() - kFooterBytes, tail.data(), tail.size());
    replace(content);
  }

 private:
  void write_with_entry(const std::string& original, std::size_t record,
                        const std::function<void(IndexEntry&)>& edit) const {
    std::vector<std::byte> index(index_bytes(footer_.records));
    std::memcpy(index.data(), original.data() + footer_.index_offset, index.size());
    std::vector<IndexEntry> entries = read_index(index, footer_.records, "index");
    ShardFooter footer = footer_;
    footer.stored_bytes -= entries[record].stored;
    footer.raw_bytes -= entries[record].raw;
    edit(entries[record]);
    footer.stored_bytes += entries[record].stored;
    footer.raw_bytes += entries[record].raw;
    std::string content = original;
    index = to_bytes(entries);
    std::memcpy(content.data() + footer_.index_offset, index.data(), index.size());
    const auto tail = to_bytes(footer);
    std::memcpy(content.data() + content.size() - kFooterBytes, tail.data(), tail.size());
    replace(content);
  }

  static_assert(sizeof(ShardFooter) == 48);
  TemporaryFolder folder_;
  std::string bytes_;
  ShardFooter footer_;
};

// How long its body is.
std::size_t read_record(const RecordSet& set, std::size_t index) {
  RecordMemory memory;
  return set.read(index, memory).body.size();
}

void open_alone(const OneShard& shard) {
  ShardReader(shard.path());
}

}  // namespace

TEST_CASE("a shard that was cut off anywhere is a DataError") {
  const OneShard shard;
  for (std::size_t length = 0; length < shard.bytes().size(); length += length < 200 ? 1 : 13) {
    shard.replace(shard.bytes().substr(0, length));
    INFO("cut to " << length);
    expect_error<DataError>([&] { open_alone(shard); }, {"shard-00000.leat"});
  }
}

TEST_CASE("every flipped bit of a shard is found, with the record's number where it hits one") {
  const OneShard shard(Zstd::on);
  const RecordSet sound(shard.set());
  for (std::size_t at = 0; at < shard.bytes().size(); ++at) {
    std::string flipped = shard.bytes();
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    shard.replace(flipped);
    const std::vector<BadRecords> bad = verify_records(shard.set());
    INFO("byte " << at);
    REQUIRE(bad.size() == 1);
    for (std::size_t i = 0; i < 20; ++i) {
      const IndexEntry& entry = sound.shard(0).entry(i);
      if (at < entry.offset || at >= entry.offset + entry.stored) continue;
      CHECK(bad[0].first == i);
      CHECK(bad[0].count == 1);
    }
  }
}

TEST_CASE(
    "a byte that is neither 0 nor 1 is a DataError where a bool should be, though its checksum is right") {
  const RecordSchema schema({{{"truth", DType::boolean, {2}}, Content::values},
                             {Field::ragged("mask", DType::boolean, {.max_length = 4}), Content::values}});
  const std::vector<std::uint8_t> truth{1, 0}, mask{0, 1, 1};
  const OneShard shard([&](const fs::path& set) {
    RecordWriter writer(set, schema, {.zstd = Zstd::off});
    for (int i = 0; i < 2; ++i) writer.add({{bytes_of(truth), bytes_of(mask)}});
    writer.finish();
  });
  const std::array<std::pair<std::size_t, const char*>, 2> damages{
      {{9, "truth"}, {18, "mask"}}};  // each at 8 k
  for (const auto& [at, name] : damages) {
    shard.edit_record(1, [byte = at](std::span<std::byte> body) { body[byte] = std::byte{2}; });
    const RecordDataset dataset(shard.set());
    CHECK(OneSample(dataset, 0).bytes(1) == bytes_of(mask));
    expect_error<DataError>([&] { OneSample(dataset, 1); }, {"record 1", name, "neither 0 nor 1"});
    expect_error<DataError>([&] { read_record(RecordSet(shard.set()), 1); }, {"record 1", name});
  }
}

TEST_CASE("sound records are read from a shard where others are damaged") {
  const OneShard shard;
  std::string damaged = shard.bytes();
  const RecordSet sound(shard.set());
  damaged[sound.shard(0).entry(7).offset] ^= 1;
  shard.replace(damaged);
  const RecordSet set(shard.set());
  expect_error<DataError>([&] { read_record(set, 7); }, {"shard-00000.leat, record 7", "damaged"});
  CHECK(read_record(set, 8) == sound.shard(0).entry(8).raw);
}

TEST_CASE("an index that contradicts itself is refused, though its checksum is right") {
  const OneShard shard;
  const auto refused = [&](const std::function<void(IndexEntry&)>& edit) {
    shard.edit_entry(5, edit);
    expect_error<DataError>([&] { open_alone(shard); }, {"index contradicts itself", "record"});
  };
  refused([](IndexEntry& entry) { entry.offset += 1; });
  refused([](IndexEntry& entry) { entry.offset -= 8; });  // overlaps the one before
  refused([](IndexEntry& entry) { entry.offset = 0; });
  refused([](IndexEntry& entry) { entry.offset = ~std::uint64_t{7}; });
  refused([&](IndexEntry& entry) { entry.offset = shard.footer().index_offset + 8; });
  refused([](IndexEntry& entry) { entry.stored = 0xffff'ffff; });
  refused([](IndexEntry& entry) { entry.raw = 0xffff'ffff; });
  refused([](IndexEntry& entry) { entry.stored -= 1; });  // there is no codec
}

TEST_CASE("sizes of a footer that contradict the file are refused before memory is taken for them") {
  const OneShard shard;
  const auto refused = [&](const std::function<void(ShardFooter&)>& edit) {
    shard.edit_footer(edit);
    expect_error<DataError>([&] { open_alone(shard); }, {"shard-00000.leat"});
  };
  refused([](ShardFooter& footer) { footer.records = ~std::uint64_t{0}; });
  refused([](ShardFooter& footer) { footer.records = std::uint64_t{1} << 40; });
  refused([](ShardFooter& footer) { footer.records = 19; });
  refused([](ShardFooter& footer) { footer.data_offset += 8; });
  refused([](ShardFooter& footer) { footer.index_offset = ~std::uint64_t{0}; });
  refused([](ShardFooter& footer) { footer.index_offset -= 8; });
  refused([](ShardFooter& footer) { footer.file_bytes += 1; });
  refused([](ShardFooter& footer) { footer.stored_bytes += 1; });
}

TEST_CASE("a record that unpacks to another size than the index says is refused") {
  const OneShard shard(Zstd::on);
  const std::uint32_t raw = RecordSet(shard.set()).shard(0).entry(9).raw;
  REQUIRE(RecordSet(shard.set()).shard(0).entry(9).stored < raw);
  for (const std::uint32_t claimed : {raw - 1, raw + 1}) {
    shard.edit_entry(9, [&](IndexEntry& entry) { entry.raw = claimed; });
    INFO(claimed << " instead of " << raw);
    const RecordSet set(shard.set());
    expect_error<DataError>([&] { read_record(set, 9); }, {"record 9"});
    CHECK(read_record(set, 8) > 0);
  }
}

TEST_CASE("lengths within a record that break a bound are refused, though its checksum is right") {
  const OneShard shard;
  for (const std::uint32_t length : {5U, 2U, 1001U, 0xffff'ffffU}) {  // of the boxes; there are 4
    shard.edit_record(4,
                      [&](std::span<std::byte> body) { std::memcpy(body.data(), &length, sizeof length); });
    const RecordSet set(shard.set());
    INFO("length " << length);
    expect_error<DataError>([&] { read_record(set, 4); }, {"record 4"});
    RecordMemory memory;
    CHECK(set.read(5, memory).length(1) == 0);
  }
}

TEST_CASE("a manifest is checked before it is believed") {
  const OneShard shard;
  const fs::path path = shard.set() / "leat-records.json";
  std::string text = content_of(path);
  text.erase(text.rfind(",\"xxh3\""), 26);  // the manifest's own checksum, which would tell first
  const auto refused = [&](const std::string& from, const std::string& to, std::string_view why) {
    std::string changed = text;
    REQUIRE(changed.find(from) != std::string::npos);
    changed.replace(changed.find(from), from.size(), to);
    replace_content(path, changed);
    expect_error<DataError>([&] { RecordSet(shard.set()); }, {"leat-records.json", why});
  };
  refused("shard-00000.leat", "../shard-00000.leat", "no name of a file");
  refused("\"samples\":20", "\"samples\":21", "add up");
  refused("\"samples\":20", "\"samples\":-1", "no number");
  refused("\"version\":1", "\"version\":2", "version 2");
  refused("\"dtype\":\"i64\"", "\"dtype\":\"i65\"", "i65");
  refused("\"shape\":[3]", "\"shape\":[18446744073709551615,2]", "64 bits");
  refused("\"content\":\"text\"", "\"content\":\"rgb\"", "rgb");
  refused("{", "", "no JSON object");
}

TEST_CASE("a manifest that was damaged is told by its checksum, and older ones have none") {
  const TemporaryFolder folder;
  write_mixed(folder.path(), 20, {});
  const std::string path = folder / kManifestName, text = content_of(path);
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    changed.replace(at, from.size(), to);
    expect_error<DataError>([&] { parse_manifest(changed, path); }, {path, "checksum"});
  };
  CHECK(parse_manifest(text, path).samples() == read_manifest(folder.path()).samples());
  refused("\"max_length\":", "\"max_length\":1");
  refused("\"name\":\"boxes\"", "\"name\":\"boxer\"");
  refused("\"raw_bytes\":", "\"raw_bytes\":1");
  nlohmann::json object = nlohmann::json::parse(text);
  CHECK(parse_manifest(object.dump(2), path).schema.size() == 4);  // however it is laid out
  object.erase("xxh3");
  CHECK(parse_manifest(object.dump(), path).schema.size() == 4);
}

}  // namespace leat::test
