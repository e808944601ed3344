#include "leat/datasets/io/durable_file.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_operations.h"

namespace leat::test {

using namespace leat::detail;

namespace fs = std::filesystem;

TEST_CASE("bytes land in the order they were written in, whatever their lengths") {
  const TemporaryFolder folder;
  std::string expected;
  DurableFile file(folder / "file");
  std::size_t length = 1;
  for (int i = 0; i < 60; ++i) {
    const std::string piece(length, static_cast<char>('A' + i));
    file.write(std::as_bytes(std::span(piece)));
    expected += piece;
    length = length * 7919 % 1'200'007;  // from 1 byte to more than the buffer
  }
  CHECK(file.size() == expected.size());
  CHECK(file.checksum() == xxh3(std::as_bytes(std::span(expected))));
  CHECK_FALSE(fs::exists(folder / "file"));
  file.commit();
  CHECK((content_of(folder / "file") == expected));
  CHECK_FALSE(fs::exists(folder / "file.tmp"));
}

TEST_CASE("a file that is not committed leaves the old one, and nothing else") {
  const TemporaryFolder folder;
  write_durably(folder / "file", "old");
  {
    DurableFile file(folder / "file");
    file.write(std::vector<std::byte>(3'000'000));
  }
  CHECK(content_of(folder / "file") == "old");
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
  write_durably(folder / "file", "new");
  CHECK(content_of(folder / "file") == "new");
}

TEST_CASE("padding fills with zeros up to a multiple") {
  const TemporaryFolder folder;
  DurableFile file(folder / "file");
  file.pad_to(4096);
  CHECK(file.size() == 0);
  file.write(std::as_bytes(std::span("x", 1)));
  file.pad_to(4096);
  file.pad_to(8);
  CHECK(file.size() == 4096);
  file.commit();
  CHECK((content_of(folder / "file") == "x" + std::string(4095, '\0')));
}

TEST_CASE("a folder that is not there is an error that names the file") {
  const TemporaryFolder folder;
  expect_error<SystemError>([&] { DurableFile(folder / "absent/file"); }, {"absent/file"});
}

TEST_CASE("a file's bytes are on the disk before it has its name, and its name is before commit returns") {
  const TemporaryFolder folder;
  const std::string name = folder / "file", temporary = name + ".tmp", place = folder.path();
  const auto operations = recorded_operations([&] { write_durably(name, "content"); });
  CHECK(operations == std::vector<FileOperation>{{"open", temporary},
                                                 {"write", temporary},
                                                 {"fdatasync", temporary},
                                                 {"rename", temporary},
                                                 {"fsync", place}});
}

}  // namespace leat::test
