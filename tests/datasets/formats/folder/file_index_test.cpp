#include "leat/datasets/formats/folder/file_index.h"

#include <catch2/catch_test_macros.hpp>
#include <stdexcept>

namespace leat::test {

using namespace leat::detail;

TEST_CASE("a file index gives back folders and names") {
  FileIndex index;
  CHECK(index.size() == 0);
  CHECK(index.add_folder("a/b") == 0);
  index.add_file("x.jpg");
  index.add_file("");
  CHECK(index.add_folder("c") == 1);
  CHECK(index.add_folder("d") == 2);
  index.add_file("y.jpg");
  REQUIRE(index.size() == 3);
  CHECK(index.path_of(0) == "a/b/x.jpg");
  CHECK(index.path_of(1) == "a/b/");
  CHECK(index.path_of(2) == "d/y.jpg");
  CHECK(index.folder_of(1) == 0);
  CHECK(index.folder_of(2) == 2);
  CHECK_THROWS_AS(index.path_of(3), std::out_of_range);
}

}  // namespace leat::test
