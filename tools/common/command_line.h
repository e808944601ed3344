// Functions that the command-line programs share: reading options, and turning errors into exit codes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/listing.h"
#include "tools/common/manual.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace leat::tools {

using namespace detail;

// Reports that the command line, or the data that it names, is wrong: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Returns whether a call failed because of what the path leads to, and not because of a lack of memory or descriptors
// or a defective disk.
bool is_about_path(const SystemError& error) noexcept;

// Returns the result of `open`, which opens data that the command line names. Throws UsageError if the data is
// missing, damaged or not of the stated kind. Other errors pass through.
template <class Function>
auto opening(const Function& open) {
  try {
    return listing(open);
  } catch (const DataError& error) {
    throw UsageError(describe(error));
  } catch (const ArgumentError& error) {
    throw UsageError(describe(error));
  } catch (const SystemError& error) {
    if (!is_about_path(error)) throw;
    throw UsageError(describe(error));
  }
}

// Reads the command line into the variables that were registered with `app`. Returns false if --help or --version was
// given; its text has then been printed, and there is nothing left to do. Throws UsageError. Adds --version. The page
// of --help is made from `app` and `text`.
//
// Also understands "--generate-manual FOLDER" alone, which is not in the help: it writes the man page and the
// completions (see write_manual_files()). The build calls each program with it.
bool read_command_line(CLI::App& app, const ProgramText& text, int argc, const char* const* argv);

// Adds --allow-corrupt and --allow-empty, which are the same in every program that reads images.
void add_leniency(CLI::App& app, bool& allow_corrupt, bool& allow_empty);

// Checks for options with floating-point values. Unlike CLI::Range, CLI::PositiveNumber and CLI::NonNegativeNumber,
// they refuse "nan". The help shows the range of number_between().
CLI::Validator number_between(double low, double high);
CLI::Validator positive_number();
CLI::Validator non_negative_number();

// Returns the decimal number that `text` consists of. Returns nullopt if it is not a number in [low, high].
std::optional<std::size_t> parse_number(std::string_view text, std::size_t low, std::size_t high);

// Print to stdout at once; print_line() adds a newline. Throw SystemError if the text cannot be written.
void print_text(std::string_view text);
void print_line(std::string_view line);

// Runs the program and returns its exit code: 0; 1 after an error at run time, including output that cannot be
// written; 2 after a UsageError. Either error is printed as one line on stderr: "<program>: <what>".
int run_program(std::string_view program, const std::function<void()>& body) noexcept;

}  // namespace leat::tools
