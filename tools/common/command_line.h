// What the command-line programs share: reading options, and turning errors into exit codes.
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

// The command line, or the data that it names, is wrong: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Whether a call failed because of what the path leads to, and not for want of memory, descriptors or a sound disk.
bool is_about_path(const SystemError& error) noexcept;

// Returns what `open` returns, which opens data that the command line names. Throws UsageError where the data is
// missing, damaged or not what it was said to be; other errors pass.
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

// Reads the command line into what `app` was told. False: --help or --version was asked for and has been printed, so
// there is nothing to do. Throws UsageError. Adds --version. The page of --help is made of `app` and `text`.
//
// "--generate-manual FOLDER" alone is understood, too, and is not in the help: writes man page and completions (see
// write_manual_files()). The build calls each program so.
bool read_command_line(CLI::App& app, const ProgramText& text, int argc, const char* const* argv);

// Adds --allow-corrupt and --allow-empty, the same in every program that reads images.
void add_leniency(CLI::App& app, bool& allow_corrupt, bool& allow_empty);

// Checks of options with floating-point values. Unlike CLI::Range, CLI::PositiveNumber and CLI::NonNegativeNumber, they
// refuse "nan". The help shows the range of the first.
CLI::Validator number_between(double low, double high);
CLI::Validator positive_number();
CLI::Validator non_negative_number();

// The decimal number that all of `text` is, where it is one in [low, high].
std::optional<std::size_t> parse_number(std::string_view text, std::size_t low, std::size_t high);

// Print to stdout at once, the latter with the end of a line. Throw SystemError if it cannot be written.
void print_text(std::string_view text);
void print_line(std::string_view line);

// Runs the program and returns its exit code: 0; 1 after an error at run time, output that cannot be written included;
// 2 after a UsageError. Either error is one line on stderr: "<program>: <what>".
int run_program(std::string_view program, const std::function<void()>& body) noexcept;

}  // namespace leat::tools
