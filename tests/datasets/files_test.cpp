#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <string>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/new_file.h"
#include "leat/datasets/io/read_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

TEST_CASE("a file is read whole, into memory that is reused") {
  const TemporaryFolder folder;
  std::vector<std::byte> bytes;
  read_file(folder.write("long", std::string(100000, 'x')), 100000, bytes);
  CHECK(bytes == std::vector<std::byte>(100000, std::byte{'x'}));
  const std::byte* memory = bytes.data();
  read_file(folder.write("short", "ab"), 100000, bytes);
  CHECK(bytes == std::vector<std::byte>{std::byte{'a'}, std::byte{'b'}});
  CHECK(bytes.data() == memory);
  read_file(folder.write("empty", ""), 0, bytes);
  CHECK(bytes.empty());
}

TEST_CASE("a file that cannot be read is named") {
  const TemporaryFolder folder;
  std::vector<std::byte> bytes;
  expect_error<SystemError>([&] { read_file(folder / "missing", 10, bytes); },
                            {"open", "missing", "No such file"});
  expect_error<DataError>([&] { read_file(folder.write("long", "abc"), 2, bytes); },
                          {"long", "3 bytes", "limit is 2"});
  expect_error<DataError>([&] { read_file(folder.path(), 10, bytes); },
                          {folder.path().string(), "no regular file"});
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  expect_error<DataError>([&] { read_file(folder / "fifo", 10, bytes); }, {"fifo", "no regular file"});
}

TEST_CASE("a new file is written whole, and never over another") {
  const TemporaryFolder folder;
  const std::vector<std::byte> content(300000, std::byte{7});
  write_new_file(folder / "a", content);
  std::vector<std::byte> bytes;
  read_file(folder / "a", 1 << 20, bytes);
  CHECK(bytes == content);
  expect_error<SystemError>([&] { write_new_file(folder / "a", {}); }, {"create", "File exists"});
  expect_error<SystemError>([&] { write_new_file(folder / "no/b", {}); }, {"no/b", "No such file"});
}

}  // namespace leat::test
