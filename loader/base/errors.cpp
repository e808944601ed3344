#include "loader/base/errors.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <typeinfo>
#include <utility>

namespace leat {

SystemError::SystemError(std::string_view what, int code)
    : Error(fmt::format("{}: {}", what, std::generic_category().message(code))), code_(code) {}

MemoryError::MemoryError(std::string_view purpose, std::size_t asked, std::size_t available)
    : Error(fmt::format("{} need {} bytes, but {} are available", purpose, asked, available)),
      asked_(asked),
      available_(available) {}

DataError::DataError(std::string source, std::string_view problem)
    : Error(fmt::format("{}: {}", source, problem)), source_(std::move(source)) {}

void throw_errno(std::string_view what) {
  throw SystemError(what, errno);
}

std::string describe(const std::exception& error) {
  std::string text = error.what();
  try {
    std::rethrow_if_nested(error);
  } catch (const std::exception& nested) {
    text += ": " + describe(nested);
  } catch (...) {
    text += ": (an exception that is no std::exception)";
  }
  return text;
}

std::string type_name(const std::exception& error) {
  const char* mangled = typeid(error).name();
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : mangled;
}

}  // namespace leat
