#include "tools/common/command_line.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>

#include "leat/version.h"

namespace leat::tools {
namespace {

constexpr const char* kWritingOutput = "writing to standard output";

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

int report(std::string_view program, const std::exception& error, int code) {
  fmt::print(stderr, "{}: {}\n", program, one_line(describe(error)));
  return code;
}

// Opens descriptors 0, 1 and 2 if the program was started without them. Otherwise the next file that is opened would
// get such a number, and printed output would land in that file. They are opened for the wrong direction, so that
// using them is an error as before.
void reserve_standard_streams() {
  for (const int fd : {0, 1, 2}) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    if (::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) throw_errno("opening /dev/null");
  }
}

// Accepts finite numbers that `accepts` accepts. The error for others says that they are not `what`.
template <class Accepts>
CLI::Validator number_check(const std::string& what, const std::string& kind, Accepts accepts) {
  return {[=](std::string& text) {
            double value = 0;
            const bool is_number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
            return is_number && accepts(value) ? std::string() : fmt::format("'{}' is no {}", text, what);
          },
          kind};
}

// Throws SystemError, or Error if an earlier write failed and was not noticed.
void flush_output() {
  if (std::fflush(stdout) != 0) throw_errno(kWritingOutput);
  if (std::ferror(stdout) != 0) throw Error(fmt::format("{}: an earlier write failed", kWritingOutput));
}

}  // namespace

bool is_about_path(const SystemError& error) noexcept {
  constexpr std::array kCodes{ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EACCES};
  return std::ranges::find(kCodes, error.code()) != kCodes.end();
}

bool read_command_line(CLI::App& app, const ProgramText& text, int argc, const char* const* argv) {
  app.set_version_flag("--version", fmt::format("{} {}", app.get_name(), LEAT_VERSION), "Print the version");
  const auto manual = [&] { return make_manual(app, text, LEAT_VERSION); };
  if (argc == 3 && std::string_view(argv[1]) == "--generate-manual") {
    write_manual_files(manual(), argv[2]);
    return false;
  }
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    const auto commands = app.get_subcommands();
    print_text(help_page(manual(), commands.empty() ? "" : commands.front()->get_name()));
  } catch (const CLI::CallForVersion&) {
    print_line(app.version());
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{} (see {} --help)", error.what(), app.get_name()));
  }
  return false;
}

void add_leniency(CLI::App& app, bool& allow_corrupt, bool& allow_empty) {
  app.add_flag("--allow-corrupt", allow_corrupt,
               "Accept images whose data is incomplete: missing pixels are gray (JPEG) or black (PNG)");
  app.add_flag("--allow-empty", allow_empty, "Accept class folders without images");
}

CLI::Validator number_between(double low, double high) {
  return number_check(fmt::format("number from {} to {}", low, high),
                      fmt::format("FLOAT in [{} - {}]", low, high),
                      [=](double value) { return value >= low && value <= high; });
}

CLI::Validator positive_number() {
  return number_check("positive number", "POSITIVE", [](double value) { return value > 0; });
}

CLI::Validator non_negative_number() {
  return number_check("non-negative number", "NONNEGATIVE", [](double value) { return value >= 0; });
}

std::optional<std::size_t> parse_number(std::string_view text, std::size_t low, std::size_t high) {
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  if (!whole || number < low || number > high) return std::nullopt;
  return number;
}

void print_text(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw_errno(kWritingOutput);
  flush_output();
}

void print_line(std::string_view line) {
  print_text(fmt::format("{}\n", line));
}

int run_program(std::string_view program, const std::function<void()>& body) noexcept {
  try {
    reserve_standard_streams();
    body();
    flush_output();
    return 0;
  } catch (const UsageError& error) {
    return report(program, error, 2);
  } catch (const std::exception& error) {
    return report(program, error, 1);
  }
}

}  // namespace leat::tools
