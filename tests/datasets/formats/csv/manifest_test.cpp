#include "leat/datasets/formats/csv/manifest.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/formats/csv/csv.h"
#include "leat/datasets/image/codecs/jpeg_encoder.h"
#include "leat/datasets/image_dataset.h"
#include "tests/datasets/image/formula_image.h"
#include "tests/datasets/support/file_bytes.h"
#include "tests/support/expect_error.h"
#include "tests/support/one_sample.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows(std::string_view text, char delimiter = ',') {
  CsvReader reader(text, delimiter, "x.csv");
  Rows all;
  while (const auto* row = reader.next()) all.push_back(*row);
  return all;
}

std::int64_t label(const ManifestSource& source, std::size_t i) {
  StoredSample sample;
  source.read(i, FieldChoice({"label"}), sample);
  return integer_of(sample.fields()[0]);
}

}  // namespace

TEST_CASE("rows of CSV and TSV") {
  CHECK(rows("a,b\nc,d") == Rows{{"a", "b"}, {"c", "d"}});
  CHECK(rows("a,b\r\n\r\n,\r\n") == Rows{{"a", "b"}, {"", ""}});
  CHECK(rows("\"a,\"\"x\"\"\n2\",b\n") == Rows{{"a,\"x\"\n2", "b"}});
  CHECK(rows("a b\tc,d\n", '\t') == Rows{{"a b", "c,d"}});
  CHECK(rows("\xef\xbb\xbf"
             "a") == Rows{{"a"}});
  CHECK(rows("a\rb,\"\"") == Rows{{"a\rb", ""}});
  CHECK(rows("").empty());
  expect_error<DataError>([] { rows("a\n\"b\n\n"); }, {"x.csv, line 2", "not closed"});
  expect_error<DataError>([] { rows("\"a\"b\n"); }, {"line 1", "follows a closing quote"});
}

TEST_CASE("a manifest's images are samples for training") {
  const TemporaryFolder folder;
  for (const int level : {50, 60}) {
    const auto jpeg = encode_jpeg(image_of({8, 8}, [&](int, int, int) { return level; }).view());
    folder.write("some dir/" + std::to_string(level) + ".jpg", text_of(jpeg));
  }
  const auto path =
      folder.write("m.csv", "id,Label,Path\n1,7,some dir/50.jpg\n2,8,\"some dir/60.jpg\"\n3,9,absent.jpg\n");
  const ImageDataset records(std::make_shared<ManifestSource>(path), CenterCrop(1));
  REQUIRE(records.size() == 3);
  const OneSample sample(records, 1);
  CHECK(sample.values<std::uint8_t>(0) == std::vector<std::uint8_t>{60, 60, 60});
  CHECK(sample.values<std::int64_t>(1) == std::vector<std::int64_t>{8});
  CHECK(records.describe(0) == (folder / "some dir/50.jpg").string());
  expect_error<SystemError>([&] { OneSample(records, 2); }, {"absent.jpg", "No such file"});
}

TEST_CASE("labels are numbers, or names in byte order") {
  const TemporaryFolder folder;
  const ManifestSource numbers(folder.write("a.tsv", "x.jpg\t5\ny.jpg\t-3\n"));
  CHECK(label(numbers, 1) == -3);
  CHECK(numbers.classes().empty());
  const ManifestSource names(folder.write("b.csv", "x.jpg,dog\ny.jpg,cat\nz.jpg,12\n"));
  CHECK(names.classes() == std::vector<std::string>{"12", "cat", "dog"});
  CHECK(label(names, 0) == 2);
  CHECK(label(names, 1) == 1);
  CHECK(ManifestSource(folder.write("c.csv", "what;where\n1;x.jpg\n"),
                       {.delimiter = ';', .path_column = "where", .label_column = "what"})
            .describe(0) == (folder / "x.jpg").string());
}

TEST_CASE("manifests that are none are refused") {
  const TemporaryFolder folder;
  const auto refused = [&](std::string_view text, std::initializer_list<std::string_view> fragments) {
    expect_error<DataError>([&] { ManifestSource(folder.write("m.csv", text)); }, fragments);
  };
  refused("", {"m.csv", "no rows"});
  refused("path,label\n", {"no rows"});
  refused("path,other\nx,1\n", {"no column of labels"});
  refused("x.jpg,1\ny.jpg\n", {"m.csv, line 2", "a path and a label"});
  refused("x.jpg,1\n,2\n", {"line 2"});
  expect_error<ArgumentError>([&] { ManifestSource(folder.write("m.csv", "a,b\n"), {.path_column = "c"}); },
                              {"no column 'c'", "a, b"});
}

}  // namespace leat::test
