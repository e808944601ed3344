#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string>

#include "leat/datasets/errors.h"

namespace leat {
namespace {

TEST_CASE("errors carry their parts, and the texts nested in them") {
  CHECK(SystemError("opening x", ENOENT).code() == ENOENT);
  CHECK(std::string(MemoryError("batch slots", 100, 40).what()) ==
        "batch slots need 100 bytes, but 40 bytes are available");
  CHECK(std::string(MemoryError("batch slots", 3 << 20, 1536, "RLIMIT_AS").what()) ==
        "batch slots need 3 MiB (3145728 bytes), but 1.5 KiB (1536 bytes) are available, as RLIMIT_AS says");
  CHECK(in_bytes(~std::size_t{0}) == "16 EiB (18446744073709551615 bytes)");
  CHECK(DataError("a.jpg", "is truncated").source() == "a.jpg");
  CHECK(std::string(InternalError("slot 3 is free already").what()) ==
        "slot 3 is free already: this is an internal fault of leat; please report it");
  try {
    try {
      throw std::runtime_error("inner");
    } catch (...) {
      std::throw_with_nested(ArgumentError("outer"));
    }
  } catch (const std::exception& error) {
    CHECK(describe(error) == "outer: inner");
  }
  CHECK(type_name(ArgumentError("x")) == "leat::ArgumentError");
}

}  // namespace
}  // namespace leat
