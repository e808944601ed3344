#include "leat/datasets/formats/beton/beton.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image_dataset.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/beton_bytes.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/datasets/support/hostile.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

std::string image_cell(unsigned mode, unsigned width, unsigned height, std::uint64_t offset) {
  return FileBytes().u8(mode).u16(width).u16(height).u64(offset).str();
}

// One JPEG and one stored as pixels, with labels 5 and 6: rows of 24 bytes, the label at 16.
BetonBytes images() {
  const auto jpeg = encode_jpeg(image_of({16, 8}, [](int, int, int) { return 90; }).view());
  BetonBytes beton{.columns = {{2, "image"}, {1, "label"}},
                   .rows = {std::string(24, '\0'), std::string(24, '\0')},
                   .regions = {std::string(text_of(jpeg)), std::string(2 * 3 * 3, '\x21')}};
  beton.rows[0] = FileBytes().text(image_cell(0, 16, 8, beton.region(0))).zeros(3).u64(5).str();
  beton.rows[1] = FileBytes().text(image_cell(1, 2, 3, beton.region(1))).zeros(3).u64(6).str();
  return beton;
}

void read_all(const std::filesystem::path& path) {
  const BetonSource source(path);
  StoredSample sample;
  for (std::size_t i = 0; i < source.size(); ++i) source.read(i, {}, sample);
}

}  // namespace

TEST_CASE("a .beton file's images, as JPEG and as pixels") {
  const TemporaryFolder folder;
  const BetonBytes beton = images();
  const auto source = std::make_shared<BetonSource>(folder.write("a.beton", beton.str()));
  REQUIRE(source->size() == 2);
  StoredSample sample;
  source->read(0, {}, sample);
  CHECK(sample.fields()[0].encoding == Encoding::jpeg);
  CHECK(sample.fields()[0].text() == beton.regions[0]);
  CHECK(integer_of(sample.fields()[1]) == 5);
  source->read(1, {}, sample);
  CHECK(sample.fields()[0].encoding == Encoding::pixels_of(3, 2, 3));
  CHECK(sample.fields()[0].text() == beton.regions[1]);
  const ImageDataset records(source, CenterCrop(2));
  CHECK(OneSample(records, 0).values<std::uint8_t>(0) == std::vector<std::uint8_t>(12, 90));
  CHECK(OneSample(records, 1).values<std::uint8_t>(0) == std::vector<std::uint8_t>(12, 0x21));
  CHECK(OneSample(records, 1).values<std::int64_t>(1) == std::vector<std::int64_t>{6});
}

TEST_CASE("a .beton file's fields of every type, aligned as in C") {
  BetonBytes beton{
      .columns = {{2, "i"},
                  {0, "f"},
                  {3, "b"},
                  {4, "a", array_arguments({2, 2}, "<f4")},
                  {5, "j"},
                  {6, "t", array_arguments({3}, "|b1")},
                  {1, "n"}},
      .rows = {std::string(80, '\0')},
      .regions = {"xyz", "bytes", std::string(16, 'f'), std::string("{}\0", 3), std::string("\1\0\1", 3)}};
  // Offsets: 0, 16 (8-aligned), 24 (packed), 40, 48 (packed), 64, 72; 80 bytes.
  beton.rows[0] = FileBytes()
                      .text(image_cell(0, 1, 1, beton.region(0)))
                      .zeros(3)
                      .u64(0x3ff8000000000000)
                      .u64(beton.region(1))
                      .u64(5)
                      .u64(beton.region(2))
                      .u64(beton.region(3))
                      .u64(3)
                      .u64(beton.region(4))
                      .u64(~0ULL)
                      .str();
  const TemporaryFolder folder;
  const BetonSource source(folder.write("a.beton", beton.str()));
  StoredSample sample;
  source.read(0, {}, sample);
  REQUIRE(sample.fields().size() == 7);
  const auto check = [&](std::size_t i, std::string_view encoding, std::string_view bytes) {
    CHECK(to_string(sample.fields()[i].encoding) == encoding);
    CHECK(sample.fields()[i].text() == bytes);
  };
  check(0, "jpeg", "xyz");
  check(1, "float64", FileBytes().u64(0x3ff8000000000000));
  check(2, "bytes", "bytes");
  check(3, "ndarray:float32:2,2", std::string(16, 'f'));
  check(4, "json", "{}");
  check(5, "ndarray:bool:3", std::string("\1\0\1", 3));
  check(6, "int", FileBytes().u64(~0ULL));
}

TEST_CASE("rows are as long as C would make them") {
  const TemporaryFolder folder;
  const auto row_bytes = [&](std::vector<BetonColumn> columns) {
    return read_beton_header(FileReader(folder.write("a", BetonBytes{std::move(columns), {}, {}}.str())))
        .row_bytes;
  };
  CHECK(row_bytes({{2, "i"}}) == 13);
  CHECK(row_bytes({{2, "i"}, {1, "n"}}) == 24);
  CHECK(row_bytes({{1, "n"}, {2, "i"}}) == 24);
  CHECK(row_bytes({{3, "b"}, {2, "i"}}) == 29);
}

TEST_CASE(".beton files that are none are refused") {
  const TemporaryFolder folder;
  const auto refused = [&](std::size_t at, const FileBytes& patch,
                           std::initializer_list<std::string_view> fragments) {
    std::string bytes = images().str();
    bytes.replace(at, patch.size(), patch.str());
    expect_error<DataError>([&] { read_all(folder.write("x.beton", bytes)); }, fragments);
  };
  const std::uint64_t most = ~0ULL, rows = 24 + 2 * 1041, table = images().region(2);
  refused(0, FileBytes().u16(1), {"x.beton", "version 1"});
  refused(2, FileBytes().u16(0), {"0 fields"});
  refused(2, FileBytes().u16(1024), {"1065984 bytes are expected at offset 24"});
  refused(8, FileBytes().u64(most), {"do not fit into the file"});
  refused(16, FileBytes().u64(most), {"cut off"});
  refused(16, FileBytes().u64(table + 1), {"cut off"});
  refused(24, FileBytes().u8(255), {"'image' has the type 255", "somebody's own"});
  refused(24, FileBytes().u8(4), {"x.beton, field 'image'"});
  refused(rows, FileBytes().u8(2), {"mode 2"});
  refused(rows + 5, FileBytes().u64(77), {"offset 77, where the allocation table has none"});
  refused(rows + 24 + 1, FileBytes().u16(65535), {"65535 x 3 pixels in 18 bytes"});
  refused(table + 8, FileBytes().u64(most), {"region", "outside of the file"});
  refused(table + 16, FileBytes().u64(most), {"region", "outside of the file"});
  refused(table + 8, FileBytes().u64(images().region(0) + 1), {"overlaps"});
}

TEST_CASE("arrays of impossible sizes are refused") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& arguments, std::initializer_list<std::string_view> fragments) {
    const BetonBytes beton{{{4, "a", arguments}}, {FileBytes().u64(0).str()}, {}};
    expect_error<DataError>([&] { read_all(folder.write("x.beton", beton.str())); }, fragments);
  };
  const std::uint64_t half = std::uint64_t{1} << 63;
  refused(array_arguments({half, 2}, "|u1"), {"64 bits"});
  refused(array_arguments({half}, "<f8"), {"64 bits"});
  refused(array_arguments({half}, "|u1"), {"the limit is 1073741824"});
  refused(array_arguments({1 << 20}, "|u1"), {"1048576 bytes are expected at offset 0"});
  refused(array_arguments({2}, ">f4"), {"'>f4'"});
  refused(array_arguments({2}, "|O8"), {"'|O8'"});
  refused(FileBytes().zeros(256).u64(half).str(), {"bytes are expected"});
}

TEST_CASE("a .beton file with an end too early or a wrong byte ends in an error, not in a crash") {
  BetonBytes beton{{{1, "n"}}, {FileBytes().u64(1).str()}, {"x"}};
  const std::string sound = beton.str();
  const std::size_t table = beton.region(1);
  // A cut at the table's start is a file with an empty table, which a file without data may have.
  expect_truncations_refused(sound.substr(0, table), read_all);
  for (std::size_t length = table + 1; length < sound.size(); ++length) {
    const MemoryFile file(std::string_view(sound).substr(0, length));
    expect_error<DataError>([&] { read_all(file.path()); }, {file.path().string()});
  }
  const std::string two = images().str(), head = two.substr(0, 24 + 2 * 1041);
  CHECK(survive_wrong_bytes(two, read_all, 60) > 0);  // the head and the first field
  const auto use_rows = [&](const std::filesystem::path& path) {
    const FileReader rows(path);
    std::vector<std::byte> changed;
    rows.read(0, rows.size(), changed);
    read_all(MemoryFile(head + std::string(text_of(changed))).path());
  };
  CHECK(survive_wrong_bytes(two.substr(head.size()), use_rows, 48) > 0);
}

}  // namespace leat::test
