#include "tests/support/expect_error.h"

namespace leat::test::detail {

void check_fragments(const std::exception& error, std::initializer_list<std::string_view> fragments) {
  const std::string text = describe(error);
  for (const std::string_view fragment : fragments) {
    INFO("text: " << text);
    INFO("must hold: " << fragment);
    CHECK(text.find(fragment) != std::string::npos);
  }
}

void fail_no_error(std::string_view wanted) {
  FAIL("nothing was thrown, but " << wanted << " was expected");
  throw Error("unreachable: FAIL throws");
}

void fail_other_error(std::string_view wanted, const std::exception& error) {
  FAIL(type_name(error) << " was thrown, but " << wanted << " was expected; its text: " << describe(error));
  throw Error("unreachable: FAIL throws");
}

}  // namespace leat::test::detail
