#include "leat/loader/slots/failure_record.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <stdexcept>

#include "leat/datasets/errors.h"

namespace leat {

using namespace leat::detail;

namespace {

FailureRecord capture(const std::function<void()>& throwing) {
  FailureRecord record;
  try {
    throwing();
  } catch (...) {
    record.capture();
  }
  return record;
}

TEST_CASE("type and text of an exception are kept, with what is nested in it") {
  const FailureRecord record = capture([] {
    try {
      throw DataError("a.jpg", "is truncated");
    } catch (...) {
      std::throw_with_nested(std::runtime_error("decoding"));
    }
  });
  CHECK(std::string(record.type).find("runtime_error") != std::string::npos);
  CHECK(std::string(record.text) == "decoding: a.jpg: is truncated");
}

TEST_CASE("text that does not fit ends with three dots") {
  const FailureRecord record = capture([] { throw std::runtime_error(std::string(5000, 'x')); });
  const std::string text = record.text;
  CHECK(text.size() == sizeof record.text - 1);
  CHECK(text.substr(text.size() - 4) == "x...");
}

TEST_CASE("something that is not a std::exception is said to be that") {
  CHECK(std::string(capture([] { throw 7; }).type).find("not a std::exception") != std::string::npos);
}

}  // namespace
}  // namespace leat
