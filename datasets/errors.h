/// \file
/// The exceptions of leat.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "leat/datasets/export.h"

namespace leat {

/// The base of all exceptions. A message says what failed, for which index, file or limit, and what to do.
class LEAT_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument is out of range, or arguments contradict each other.
class LEAT_EXPORT ArgumentError : public Error {
 public:
  using Error::Error;
};

/// A call of the operating system failed. The message holds the call, its purpose, and the system's text.
class LEAT_EXPORT SystemError : public Error {
 public:
  /// `what` reads like "memfd_create for 4096 bytes of batch slots"; `code` is a value of errno.
  SystemError(std::string_view what, int code);

  /// Returns the value of errno.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Less memory is available than was requested.
class LEAT_EXPORT MemoryError : public Error {
 public:
  /// `asked` and `available` are in bytes. `limit` is the name of the limit on memory, if known: "RLIMIT_AS".
  MemoryError(std::string_view purpose, std::size_t asked, std::size_t available,
              std::string_view limit = {});

  /// Returns the requested size, in bytes.
  std::size_t asked() const noexcept { return asked_; }
  /// Returns the available size, in bytes.
  std::size_t available() const noexcept { return available_; }

 private:
  std::size_t asked_;
  std::size_t available_;
};

/// Data is missing, damaged, or exceeds a limit. The message starts with the data's source.
class LEAT_EXPORT DataError : public Error {
 public:
  /// `source` is a path, or a path and a position in the file.
  DataError(std::string source, std::string_view problem);

  /// Returns where the data comes from.
  const std::string& source() const noexcept { return source_; }

 private:
  std::string source_;
};

/// An error in the library itself. The message asks the user to report it.
class LEAT_EXPORT InternalError : public Error {
 public:
  /// `fault` describes what is wrong: "slot 3 is free already".
  explicit InternalError(std::string_view fault);
};

/// Returns a size in words: "100 bytes", "1.5 GiB (1610612736 bytes)".
LEAT_EXPORT std::string in_bytes(std::size_t bytes);

/// Throws SystemError with the current value of errno. `what` is as in SystemError's constructor.
[[noreturn]] LEAT_EXPORT void throw_errno(std::string_view what);

/// Returns error.what(), or a replacement if that is null, which is possible for user-defined exceptions.
LEAT_EXPORT const char* what_of(const std::exception& error) noexcept;

/// Returns the text of an exception and of the exceptions nested in it: "outer: inner: innermost".
LEAT_EXPORT std::string describe(const std::exception& error);

/// Returns the name of the exception's type, as in the source: "leat::DataError".
LEAT_EXPORT std::string type_name(const std::exception& error);

}  // namespace leat
