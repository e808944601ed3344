#include "leat/datasets/errors.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <typeinfo>
#include <utility>

#include "leat/datasets/base/error_text.h"

namespace leat {

using namespace detail;

SystemError::SystemError(std::string_view what, int code)
    : Error(fmt::format("{}: {}", what, std::generic_category().message(code))), code_(code) {}

MemoryError::MemoryError(std::string_view purpose, std::size_t asked, std::size_t available,
                         std::string_view limit)
    : Error(fmt::format("{} need {}, but {} are available{}", purpose, in_bytes(asked), in_bytes(available),
                        limit.empty() ? "" : fmt::format(", as {} says", limit))),
      asked_(asked),
      available_(available) {}

DataError::DataError(std::string source, std::string_view problem)
    : Error(fmt::format("{}: {}", source, without_source(problem, source))), source_(std::move(source)) {}

InternalError::InternalError(std::string_view fault)
    : Error(fmt::format("{}: this is an internal fault of leat; please report it", fault)) {}

std::string in_bytes(std::size_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; size >= 1024 && unit + 1 < kUnits.size(); ++unit) size /= 1024;
  return fmt::format("{:.3g} {} ({} bytes)", size, kUnits[unit], bytes);
}

void throw_errno(std::string_view what) {
  throw SystemError(what, errno);
}

const char* what_of(const std::exception& error) noexcept {
  const char* const text = error.what();
  return text == nullptr ? "(what() of the exception is null)" : text;
}

std::string describe(const std::exception& error) {
  std::string text = what_of(error);
  try {
    std::rethrow_if_nested(error);
  } catch (const std::exception& nested) {
    text += ": " + describe(nested);
  } catch (...) {
    text += ": (an exception that is not a std::exception)";
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
