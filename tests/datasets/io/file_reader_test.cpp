#include "leat/datasets/io/file_reader.h"

#include <sys/stat.h>

#include <array>
#include <catch2/catch_test_macros.hpp>

#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

TEST_CASE("any part of a file is read, and nothing beyond it") {
  const TemporaryFolder folder;
  const FileReader file(folder.write("f", "0123456789"));
  CHECK(file.size() == 10);
  std::vector<std::byte> bytes;
  file.read(3, 4, bytes);
  CHECK(text_of(bytes) == "3456");
  file.read(10, 0, bytes);
  CHECK(bytes.empty());
  expect_error<DataError>([&] { file.read(7, 4, bytes); }, {"f: 4 bytes are expected at offset 7", "has 10"});
  expect_error<DataError>([&] { file.read(11, 0, bytes); }, {"offset 11"});
  expect_error<DataError>([&] { file.read(1, ~std::uint64_t{0}, bytes); }, {"offset 1"});
}

TEST_CASE("a file that shrinks is an error") {
  const TemporaryFolder folder;
  const auto path = folder.write("f", "0123456789");
  const FileReader file(path);
  std::filesystem::resize_file(path, 4);
  std::array<std::byte, 4> part{};
  file.read(0, part);
  expect_error<DataError>([&] { file.read(2, part); },
                          {"it ends at offset 4", "10 bytes when it was opened"});
}

TEST_CASE("what is no regular file is refused") {
  const TemporaryFolder folder;
  expect_error<SystemError>([&] { FileReader(folder / "absent"); }, {"open", "absent"});
  expect_error<DataError>([&] { FileReader{folder.path()}; }, {"no regular file"});
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  expect_error<DataError>([&] { FileReader(folder / "fifo"); }, {"fifo", "no regular file"});
}

}  // namespace leat::test
