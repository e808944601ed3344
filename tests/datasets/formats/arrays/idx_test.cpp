#include "leat/datasets/formats/arrays/idx.h"

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/gzip.h"
#include "tests/datasets/support/hostile.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

FileBytes header(unsigned type, std::initializer_list<std::uint32_t> shape) {
  FileBytes bytes;
  bytes.u8(0).u8(0).u8(type).u8(static_cast<unsigned>(shape.size()));
  for (const std::uint32_t extent : shape) bytes.big(extent);
  return bytes;
}

template <class T>
std::vector<T> values(const IdxArray& array) {
  std::vector<T> result(array.bytes.size() / sizeof(T));
  std::memcpy(result.data(), array.bytes.data(), array.bytes.size());
  return result;
}

const auto kRead = [](const std::filesystem::path& path) { read_idx(path); };

}  // namespace

TEST_CASE("IDX arrays of bytes and of wider numbers") {
  const TemporaryFolder folder;
  const IdxArray bytes = read_idx(folder.write("a", header(0x08, {2, 3}).text("abcdef")));
  CHECK(bytes.dtype == DType::u8);
  CHECK(bytes.shape == Shape{2, 3});
  CHECK(text_of(bytes.bytes) == "abcdef");
  const IdxArray shorts =
      read_idx(folder.write("b", header(0x0b, {2}).big(std::int16_t{-300}).big(std::int16_t{5})));
  CHECK(shorts.dtype == DType::i16);
  CHECK(values<std::int16_t>(shorts) == std::vector<std::int16_t>{-300, 5});
  const IdxArray floats = read_idx(folder.write("c", header(0x0d, {1}).big(std::uint32_t{0x3fc00000})));
  CHECK(values<float>(floats) == std::vector<float>{1.5F});
  CHECK(read_idx(folder.write("d", header(0x08, {0, 28}))).bytes.empty());
}

TEST_CASE("a compressed IDX file is inflated") {
  const TemporaryFolder folder;
  const std::string plain = header(0x08, {100, 10}).text(std::string(1000, 'q')).str();
  CHECK(read_idx(folder.write("a.gz", gzipped(plain))).bytes == bytes_of(std::string(1000, 'q')));
  expect_error<DataError>([&] { read_idx(folder.write("b.gz", gzipped(plain + "x"))); }, {"b.gz", "goes on"});
  expect_error<DataError>([&] { read_idx(folder.write("c.gz", gzipped(plain.substr(0, 900)))); },
                          {"c.gz", "ends before"});
  expect_error<DataError>([&] { read_idx(folder.write("d.gz", gzipped(plain) + "x")); }, {"behind"});
}

TEST_CASE("IDX files that are none are refused") {
  const TemporaryFolder folder;
  const auto refused = [&](std::string_view content, std::initializer_list<std::string_view> fragments) {
    expect_error<DataError>([&] { read_idx(folder.write("x", content), 1000); }, fragments);
  };
  refused(FileBytes().u8(1).u8(0).u8(8).u8(1).zeros(4), {"two zero bytes"});
  refused(header(0x0a, {1}).u8(0), {"0x0a"});
  refused(header(0x08, {}), {"0 dimensions"});
  refused(header(0x08, {2}).text("abc"), {"1 bytes follow"});
  refused(header(0x08, {1000000}).text("abc"), {"1000000 bytes of elements"});
  const std::uint32_t most = 0xffffffff;
  refused(header(0x0e, {most, most, most}), {"exceeds 64 bits"});
  refused(gzipped(header(0x08, {most, 2}).text("abc")), {"8589934590 bytes of elements, the limit is"});
}

TEST_CASE("an IDX file with an end too early or a wrong byte ends in an error, not in a crash") {
  const std::string plain = header(0x0b, {3, 2}).text("abcdefghijkl").str();
  expect_truncations_refused(plain, kRead);
  expect_truncations_refused(gzipped(plain), kRead);
  CHECK(survive_wrong_bytes(plain, kRead) > 0);
  CHECK(survive_wrong_bytes(gzipped(plain), kRead) > 0);
}

}  // namespace leat::test
