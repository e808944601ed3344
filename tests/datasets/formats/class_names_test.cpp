#include "leat/datasets/formats/class_names.h"

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/errors.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using Names = std::vector<std::string>;

RecordSchema schema_of(const Names& classes) {
  return RecordSchema({{{"label", DType::i64, {}}, Content::values}}, classes);
}

}  // namespace

TEST_CASE("class names that were written are read, and none where there is no file") {
  const TemporaryFolder folder;
  CHECK(read_class_names(folder.path()).empty());
  write_class_names(folder.path(), class_names_text(schema_of({})));
  CHECK_FALSE(std::filesystem::exists(folder / kClassNamesFile));
  const Names names{"cat", "a \"dog\"", "\xc3\xa9meu"};
  write_class_names(folder.path(), class_names_text(schema_of(names)));
  CHECK(read_class_names(folder.path()) == names);
  expect_error<ArgumentError>([] { class_names_text(schema_of({"\xff"})); });
}

TEST_CASE("damaged class names are a DataError that names the file") {
  const TemporaryFolder folder;
  for (const char* text : {"", "{", "[]", "{\"classes\":1}", "{\"classes\":[\"a\",2]}"}) {
    folder.write(kClassNamesFile, text);
    expect_error<DataError>([&] { read_class_names(folder.path()); }, {kClassNamesFile});
  }
}

}  // namespace leat::test
