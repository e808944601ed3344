#include "leat/datasets/formats/tfrecord/tf_example.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/tfrecord_bytes.h"
#include "tests/support/expect_error.h"

namespace leat::test {

using namespace leat::detail;

namespace {

StoredSample parse(std::string_view data, const FieldChoice& choice = {}) {
  StoredSample sample;
  parse_tf_example(bytes_of(data), "x.tfrecord", choice, sample);
  return sample;
}

void check(const StoredField& field, std::string_view name, std::string_view encoding,
           std::string_view bytes) {
  CHECK(field.name == name);
  CHECK(to_string(field.encoding) == encoding);
  CHECK(field.text() == bytes);
}

}  // namespace

TEST_CASE("an Example's features, sorted by name") {
  const std::string data = example({int_feature("label", {-3}), bytes_feature("image", {"\xff\xd8\xff..."}),
                                    float_feature("box", {0.5F, 1.5F}), int_feature("ids", {1, 2, 300}),
                                    float_feature("score", {2.0F}), bytes_feature("text", {"hello"}),
                                    bytes_feature("words", {"a", "", "bc"}), int_feature("none", {})});
  const StoredSample sample = parse(data);
  REQUIRE(sample.fields().size() == 8);
  check(sample.fields()[0], "box", "ndarray:float32:2", FileBytes().u32(0x3f000000).u32(0x3fc00000));
  check(sample.fields()[1], "ids", "ndarray:int64:3", FileBytes().u64(1).u64(2).u64(300));
  check(sample.fields()[2], "image", "jpeg", "\xff\xd8\xff...");
  check(sample.fields()[3], "label", "int", FileBytes().little(std::int64_t{-3}));
  check(sample.fields()[4], "none", "ndarray:int64:0", "");
  check(sample.fields()[5], "score", "float32", FileBytes().u32(0x40000000));
  check(sample.fields()[6], "text", "bytes", "hello");
  check(sample.fields()[7], "words", "list[bytes]",
        FileBytes().u32(0).u32(3).u32(1).u32(0).u32(2).text("abc"));
  CHECK(parse(data, FieldChoice({"label"})).fields().size() == 1);
}

TEST_CASE("lists that are not packed, names twice, fields that are not known") {
  check(parse(example({int_feature("i", {4, 5}, false)})).fields()[0], "i", "ndarray:int64:2",
        FileBytes().u64(4).u64(5));
  check(parse(example({float_feature("f", {1.0F, 2.0F}, false)})).fields()[0], "f", "ndarray:float32:2",
        FileBytes().u32(0x3f800000).u32(0x40000000));
  const StoredSample twice = parse(example({int_feature("i", {4}), int_feature("i", {5})}));
  REQUIRE(twice.fields().size() == 1);
  CHECK(integer_of(twice.fields()[0]) == 5);
  const std::string unknown = wire_bytes(9, "?") + varint(8 << 3 | 0) + varint(77) + varint(7 << 3 | 1) +
                              std::string(8, 'x') + varint(6 << 3 | 5) + std::string(4, 'x');
  CHECK(parse(unknown + example({int_feature("i", {4}), unknown})).fields().size() == 1);
  CHECK(parse("").fields().empty());
  CHECK(parse(wire_bytes(1, wire_bytes(1, wire_bytes(1, "bare")))).fields()[0].encoding ==
        parse_encoding("list[bytes]"));
}

TEST_CASE("messages that are none are refused") {
  const auto refused = [](std::string_view data, std::initializer_list<std::string_view> fragments) {
    expect_error<DataError>([&] { parse(data); }, fragments);
  };
  refused("\x0b", {"x.tfrecord", "wire type 3"});
  refused(std::string_view("\x00", 1), {"number 0"});
  refused(
      "\x0a\x05"
      "ab",
      {"offset 2", "5 bytes are expected, but 2 are left"});
  refused(std::string(10, '\xff'), {"more than 64 bits"});
  refused("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", {"18446744073709551615 bytes"});
  std::vector<std::string> many;
  for (int i = 0; i < 4097; ++i) many.push_back(int_feature(std::to_string(i), {i}));
  refused(example(many), {"more than 4096 features"});
  // A list with more values than any sample has: 17 MB of one-byte numbers.
  const std::string list = wire_bytes(1, std::string((1U << 24) + 1, '\1'));
  refused(example({wire_bytes(1, wire_bytes(1, "i") + wire_bytes(2, wire_bytes(3, list)))}),
          {"16777216 values"});
}

namespace {

// A sequence with its name, as an entry of the map; steps are features without names.
std::string sequence(std::string_view name, const std::vector<std::string>& steps) {
  std::string list;
  for (const std::string& step : steps) list += wire_bytes(1, step);
  return wire_bytes(1, wire_bytes(1, name) + wire_bytes(2, list));
}

std::string int_step(const std::vector<std::int64_t>& values) {
  std::string list;
  for (const std::int64_t value : values)
    list += varint(1 << 3 | 0) + varint(static_cast<std::uint64_t>(value));
  return wire_bytes(3, list);
}

std::string bytes_step(std::string_view value) {
  return wire_bytes(1, wire_bytes(1, value));
}

}  // namespace

TEST_CASE("a SequenceExample's sequences are arrays, or lists of bytes, behind the features of its context") {
  const std::string data =
      example({int_feature("label", {3})}) +
      wire_bytes(2, sequence("ids", {int_step({1}), int_step({2}), int_step({-3})}) +
                        sequence("frames", {bytes_step("a"), bytes_step("bc")}) +
                        sequence("boxes", {int_step({1, 2}), int_step({3, 4}), int_step({5, 6})}) +
                        sequence("none", {}));
  const StoredSample sample = parse(data);
  REQUIRE(sample.fields().size() == 5);
  check(sample.fields()[0], "label", "int", FileBytes().u64(3));
  check(sample.fields()[1], "boxes", "ndarray:int64:3,2",
        FileBytes().u64(1).u64(2).u64(3).u64(4).u64(5).u64(6));
  check(sample.fields()[2], "frames", "list[bytes]", FileBytes().u32(0).u32(2).u32(1).u32(2).text("abc"));
  check(sample.fields()[3], "ids", "ndarray:int64:3", FileBytes().u64(1).u64(2).little(std::int64_t{-3}));
  check(sample.fields()[4], "none", "list[bytes]", FileBytes().u32(0).u32(0));
  CHECK(parse(data, FieldChoice({"ids"})).fields().size() == 1);
}

TEST_CASE("sequences whose steps differ are refused by name") {
  const auto refused = [](const std::string& entry, std::initializer_list<std::string_view> fragments) {
    expect_error<DataError>([&] { parse(example({int_feature("x", {1})}) + wire_bytes(2, entry)); },
                            fragments);
  };
  refused(sequence("s", {int_step({1}), int_step({1, 2})}), {"x.tfrecord", "'s'", "step 1 has 2 values"});
  refused(sequence("s", {int_step({1}), bytes_step("a")}), {"'s'", "another type"});
  refused(sequence("s", {bytes_step("a"), int_step({1})}), {"'s'", "step 1"});
  refused(sequence("s", {bytes_step("a"), wire_bytes(1, "")}), {"'s'", "step 1"});
  refused(sequence("x", {int_step({1})}), {"'x'", "a feature with this name"});
}

}  // namespace leat::test
