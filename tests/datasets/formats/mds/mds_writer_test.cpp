#include "leat/datasets/formats/mds/mds_writer.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <nlohmann/json.hpp>

#include "leat/datasets/formats/shard_set_writer.h"
#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

constexpr std::uint64_t kUsualLimit = 67'108'864;

std::uint32_t u32_at(const std::string& content, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, content.data() + at, sizeof value);
  return value;
}

RecordSchema text_and_number() {
  return RecordSchema({{{"y", DType::i64, {}}, Content::values}, {Field::text("x", 100), Content::bytes}});
}

void write(const TemporaryFolder& folder, const MdsShardWriter& format, const std::vector<Record>& samples,
           std::uint64_t shard_bytes = kUsualLimit) {
  ShardSetWriter writer(folder.path(), format, shard_bytes);
  for (std::size_t i = 0; i < samples.size(); ++i) writer.add(format.encode(samples[i], i));
  writer.finish();
}

}  // namespace

TEST_CASE("MDS: the layout of a shard that the reference writer's rules give") {
  const TemporaryFolder folder;
  const MdsShardWriter format(text_and_number(), kUsualLimit);
  write(folder, format,
        {{{bytes_of(std::vector<std::int64_t>{7}), bytes_of(std::string("hi"))}},
         {{bytes_of(std::vector<std::int64_t>{-1}), bytes_of(std::string("abc"))}}});
  CHECK(format.config().size() == 183);
  const std::string shard = content_of(folder / "shard.00000.mds");
  CHECK(u32_at(shard, 0) == 2);
  CHECK(u32_at(shard, 4) == 199);
  CHECK(u32_at(shard, 8) == 213);
  CHECK(u32_at(shard, 12) == 228);
  CHECK(shard.size() == 228);
  CHECK(shard.substr(199, 14) == std::string("\x02\0\0\0hi\x07\0\0\0\0\0\0\0", 14));
  CHECK(shard.substr(213) == std::string("\x03\0\0\0abc\xff\xff\xff\xff\xff\xff\xff\xff", 15));
  CHECK(shard.substr(16, 183) == format.config());
}

TEST_CASE("MDS: index.json lists columns and shards") {
  const TemporaryFolder folder;
  std::vector<Record> samples;
  for (std::int64_t i = 0; i < 50; ++i)
    samples.push_back({{bytes_of(std::vector{i}), bytes_of(std::string(40, 'x'))}});
  write(folder, MdsShardWriter(text_and_number(), 1'000), samples, 1'000);
  const auto index = nlohmann::json::parse(content_of(folder / "index.json"));
  CHECK(index["version"] == 2);
  std::size_t count = 0;
  for (const auto& shard : index["shards"]) {
    CHECK(shard["column_names"] == nlohmann::json{"x", "y"});
    CHECK(shard["column_encodings"] == nlohmann::json{"bytes", "int"});
    CHECK(shard["column_sizes"] == nlohmann::json{nullptr, 8});
    CHECK(shard["zip_data"].is_null());
    CHECK(shard["size_limit"] == 1'000);
    const std::string content = content_of(folder / shard["raw_data"]["basename"].get<std::string>());
    CHECK(shard["raw_data"]["bytes"] == content.size());
    CHECK(content.size() <= 1'000);
    CHECK(u32_at(content, 0) == shard["samples"]);
    count += shard["samples"].get<std::size_t>();
  }
  CHECK(count == 50);
  CHECK(index["shards"].size() > 1);
}

TEST_CASE("MDS: arrays of fixed shape are bare, ragged ones state their shape") {
  const TemporaryFolder folder;
  const MdsShardWriter format(mixed_schema(), kUsualLimit);
  CHECK(
      format.config().find(R"("column_encodings": ["ndarray:uint16", "int", "str", "ndarray:float32:3"])") !=
      std::string::npos);
  const EncodedSample two_boxes = format.encode(mixed_sample(2), 0);
  const std::string bytes(reinterpret_cast<const char*>(two_boxes.bytes.data()), two_boxes.bytes.size());
  CHECK(u32_at(bytes, 0) == 11);                // boxes: 3 bytes of shape, 2 * 2 * u16
  CHECK(u32_at(bytes, 4) == 8);                 // "sample 2"
  CHECK(bytes.substr(8, 3) == "\x08\x02\x02");  // two dimensions of one byte each: 2, 2
  CHECK(bytes.size() == 8 + 11 + 8 + 8 + 12);
  expect_error<ArgumentError>([&] { format.encode(mixed_sample(5), 0); }, {"boxes", "empty"});
}

TEST_CASE("MDS: a type that it does not have is refused by the field's name") {
  expect_error<ArgumentError>(
      [] {
        MdsShardWriter(RecordSchema({{{"w", DType::bf16, {2}}, Content::values}}), kUsualLimit);
      },
      {"'w'", "bf16"});
}

TEST_CASE("MDS: text that is not UTF-8 is refused by the field's name") {
  const MdsShardWriter format(RecordSchema({{Field::text("caption", 100), Content::text}}), kUsualLimit);
  CHECK(format.encode({{bytes_of(std::string("caf\xc3\xa9"))}}, 0).bytes.size() == 4 + 5);
  expect_error<ArgumentError>([&] { format.encode({{bytes_of(std::string("caf\xe9"))}}, 0); },
                              {"caption", "UTF-8"});
}

}  // namespace leat::test
