#include "leat/datasets/token_windows.h"

#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

namespace {

using Tokens = std::vector<std::int64_t>;

template <class T>
std::string stored(const std::vector<std::uint32_t>& tokens) {
  FileBytes bytes;
  for (const std::uint32_t token : tokens) bytes.little(static_cast<T>(token));
  return bytes.str();
}

std::vector<std::uint32_t> count_to(std::uint32_t last) {
  std::vector<std::uint32_t> tokens(last);
  std::iota(tokens.begin(), tokens.end(), 1);
  return tokens;
}

Tokens window(const TokenWindows& windows, std::size_t i) {
  return OneSample(windows, i).values<std::int64_t>(0);
}

TokenOptions options(std::size_t length, std::optional<std::size_t> stride = {}) {
  return {.length = length, .stride = stride, .index = {.place = IndexPlace::nowhere}};
}

}  // namespace

TEST_CASE("windows of tokens, side by side or overlapping") {
  const TemporaryFolder folder;
  const auto path = folder.write("t.bin", stored<std::uint16_t>(count_to(10)));
  const TokenWindows side(path, options(4));
  REQUIRE(side.size() == 2);
  CHECK(side.tokens() == 10);
  CHECK(window(side, 1) == Tokens{5, 6, 7, 8});
  const TokenWindows overlapping(path, options(5, 2));
  REQUIRE(overlapping.size() == 3);
  CHECK(window(overlapping, 2) == Tokens{5, 6, 7, 8, 9});
  CHECK(overlapping.describe(2).find("tokens 4 to 9") != std::string::npos);
  CHECK(TokenWindows(path, options(11)).size() == 0);
  CHECK(TokenWindows(path, options(10)).size() == 1);
  expect_error<ArgumentError>([&] { window(side, 2); }, {"there are 2"});
}

TEST_CASE("tokens are delivered in any type that holds them") {
  const TemporaryFolder folder;
  const std::vector<std::uint32_t> tokens{65535, 0, 40000, 1, 2, 3, 4};
  const auto narrow = folder.write("16", stored<std::uint16_t>(tokens)),
             wide = folder.write("32", stored<std::uint32_t>(tokens));
  const auto read = [&](const auto& path, DType from, DType to, auto element) {
    TokenOptions chosen = options(7);
    chosen.stored = from;
    chosen.delivered = to;
    const auto values = OneSample(TokenWindows(path, chosen), 0).values<decltype(element)>(0);
    CHECK(std::equal(values.begin(), values.end(), tokens.begin(), tokens.end()));
  };
  read(narrow, DType::u16, DType::u16, std::uint16_t{});
  read(narrow, DType::u16, DType::u32, std::uint32_t{});
  read(narrow, DType::u16, DType::i64, std::uint64_t{});
  read(wide, DType::u32, DType::u32, std::uint32_t{});
  read(wide, DType::u32, DType::i64, std::uint64_t{});
  expect_error<ArgumentError>([&] { read(wide, DType::u32, DType::u16, std::uint16_t{}); }, {"without loss"});
  expect_error<ArgumentError>([&] { read(wide, DType::f32, DType::f32, float{}); }, {"stored as f32"});
}

TEST_CASE("no window reaches over the end of a document") {
  const TemporaryFolder folder, cache;
  // Documents of 5, 1, 2 and (without an end) 3 tokens; 0 ends one.
  const auto path = folder.write("t.bin", stored<std::uint16_t>({1, 2, 3, 4, 0, 0, 5, 0, 6, 7, 8}));
  TokenOptions chosen = options(3, 2);
  chosen.end_of_document = 0;
  chosen.index = {.place = IndexPlace::cache, .folder = cache.path()};
  for (int time = 0; time < 2; ++time) {
    const TokenWindows windows(path, chosen);
    REQUIRE(windows.size() == 5);
    CHECK(window(windows, 0) == Tokens{1, 2, 3});
    CHECK(window(windows, 1) == Tokens{3, 4, 0});
    CHECK(window(windows, 2) == Tokens{0});
    CHECK(window(windows, 3) == Tokens{5, 0});
    CHECK(window(windows, 4) == Tokens{6, 7, 8});
  }
  chosen.end_of_document = 5;
  CHECK(window(TokenWindows(path, chosen), 2) == Tokens{0, 0, 5});
  TokenOptions by_index = options(4);
  by_index.document_starts = folder.write("t.idx", FileBytes().u64(0).u64(6).u64(6));
  const TokenWindows indexed(path, by_index);
  REQUIRE(indexed.size() == 4);  // of 6 and of 5 tokens, and an empty one
  CHECK(window(indexed, 1) == Tokens{0, 0});
  CHECK(window(indexed, 2) == Tokens{5, 0, 6, 7});
  CHECK(window(indexed, 3) == Tokens{8});
}

TEST_CASE("a document goes on beyond the part of the file in which it starts") {
  const TemporaryFolder folder;
  constexpr std::size_t kPart = std::size_t{1} << 20;
  std::vector<std::uint32_t> tokens(kPart + 3, 1);
  tokens[kPart] = 0;
  TokenOptions chosen = options(2 * kPart);
  chosen.end_of_document = 0;
  const TokenWindows windows(folder.write("t.bin", stored<std::uint16_t>(tokens)), chosen);
  REQUIRE(windows.size() == 2);
  CHECK(windows.describe(1).find("tokens 1048577 to 1048579") != std::string::npos);
}

TEST_CASE("files and options that do not fit are refused") {
  const TemporaryFolder folder;
  const auto path = folder.write("t.bin", stored<std::uint16_t>(count_to(10)));
  expect_error<DataError>([&] { TokenWindows(folder.write("odd", "abc"), options(1)); }, {"odd", "3 bytes"});
  expect_error<ArgumentError>([&] { TokenWindows(path, options(0)); }, {"1 and more"});
  expect_error<ArgumentError>([&] { TokenWindows(path, options(1, 0)); }, {"1 and more"});
  const auto refused = [&](const FileBytes& starts, std::initializer_list<std::string_view> fragments) {
    TokenOptions chosen = options(4);
    chosen.document_starts = folder.write("t.idx", starts);
    expect_error<DataError>([&] { TokenWindows(path, chosen); }, fragments);
  };
  refused(FileBytes().u64(1), {"t.idx", "document 0 starts at token 1"});
  refused(FileBytes().u64(0).u64(5).u64(4), {"document 2 starts at token 4"});
  refused(FileBytes().u64(0).u64(11), {"the end, 10"});
  refused(FileBytes().u64(0).u32(1), {"8 bytes are expected, but 4 are left"});
  refused(FileBytes(), {"no document"});
  TokenOptions both = options(4);
  both.end_of_document = 0;
  both.document_starts = path;
  expect_error<ArgumentError>([&] { TokenWindows(path, both); }, {"not by both"});
}

TEST_CASE("with strides beyond a window, too, no window reaches out of its document") {
  const TemporaryFolder folder;
  FileBytes tokens, starts;
  for (std::uint16_t i = 0; i < 300; ++i) tokens.little(i);
  starts.u64(0).u64(95).u64(200);
  const std::string file = folder.write("tokens", tokens.str()), index = folder.write("starts", starts.str());
  for (const std::size_t stride : {std::size_t{30}, std::size_t{50}, std::size_t{100}, ~std::size_t{0}}) {
    const TokenWindows windows(file, {.length = 10, .stride = stride, .document_starts = index});
    INFO("stride " << stride);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const std::vector<std::int64_t> window = OneSample(windows, i).values<std::int64_t>(0);
      REQUIRE_FALSE(window.empty());
      const auto document = [](std::int64_t token) { return token < 95 ? 0 : token < 200 ? 1 : 2; };
      CHECK(document(window.front()) == document(window.back()));
      CHECK(window.back() - window.front() == static_cast<std::int64_t>(window.size()) - 1);
    }
    if (stride > 300) CHECK(windows.size() == 3);
  }
}

}  // namespace leat::test
