// The one family of exceptions. Catch leat::Error to catch them all; each message says what failed, which
// index, file or limit, and what to do.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace leat {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The caller passed something out of range or contradictory.
class ArgumentError : public Error {
 public:
  using Error::Error;
};

// A call of the operating system failed. The message holds the call, what it was for, and the system's text.
class SystemError : public Error {
 public:
  // `what` reads like "memfd_create for 4096 bytes of batch slots"; `code` is an errno value.
  SystemError(std::string_view what, int code);

  int code() const noexcept { return code_; }

 private:
  int code_;
};

// There is less memory than was asked for; both figures are in bytes.
class MemoryError : public Error {
 public:
  // `limit`, if known, is what the memory is limited by: "RLIMIT_AS".
  MemoryError(std::string_view purpose, std::size_t asked, std::size_t available,
              std::string_view limit = {});

  std::size_t asked() const noexcept { return asked_; }
  std::size_t available() const noexcept { return available_; }

 private:
  std::size_t asked_;
  std::size_t available_;
};

// Data that was read is missing, damaged or outside a limit. The message starts with its source.
class DataError : public Error {
 public:
  // `source` is a path, or a path and a position in it.
  DataError(std::string source, std::string_view problem);

  const std::string& source() const noexcept { return source_; }

 private:
  std::string source_;
};

/// A fault of the library itself; the message asks to report it.
class InternalError : public Error {
 public:
  /// `fault` says what was found to be wrong: "slot 3 is free already".
  explicit InternalError(std::string_view fault);
};

// "100 bytes", "1.5 GiB (1610612736 bytes)".
std::string in_bytes(std::size_t bytes);

// Throws SystemError with the present errno.
[[noreturn]] void throw_errno(std::string_view what);

// what(), or words for it where that is null, as a user's exception may have it.
const char* what_of(const std::exception& error) noexcept;

// The text of an exception with the texts of the exceptions nested in it: "outer: inner: innermost".
std::string describe(const std::exception& error);

// The type's name as in the source, e.g. "leat::DataError".
std::string type_name(const std::exception& error);

}  // namespace leat
