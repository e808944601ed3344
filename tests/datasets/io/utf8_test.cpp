#include "leat/datasets/io/utf8.h"

#include <catch2/catch_test_macros.hpp>

namespace leat::test {

using namespace leat::detail;

TEST_CASE("UTF-8 is told from what is none") {
  for (const char* text : {"", "a", "\xc3\xa9", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
                           "a\xe2\x82\xac"
                           "b"}) {
    INFO(text);
    CHECK(is_utf8(text));
  }
  for (const char* text :
       {"\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3(", "\xe2\x82("}) {
    INFO(text);
    CHECK_FALSE(is_utf8(text));
  }
}

TEST_CASE("names that are not UTF-8 become text from which they can be had back") {
  CHECK(utf8_name("caf\xc3\xa9 100%.jpg") == "caf\xc3\xa9 100%.jpg");
  CHECK(utf8_name("caf\xe9 100%.jpg") == "caf%E9 100%25.jpg");
  CHECK(utf8_name("\xff\xc3\xa9\xe2\x82") == "%FF\xc3\xa9%E2%82");
}

}  // namespace leat::test
