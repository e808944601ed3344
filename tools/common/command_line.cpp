#include "tools/common/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>

namespace leat::tools {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

int report(std::string_view program, const std::exception& error, int code) {
  fmt::print(stderr, "{}: {}\n", program, one_line(describe(error)));
  return code;
}

}  // namespace

bool read_command_line(CLI::App& app, int argc, const char* const* argv) {
  app.set_version_flag("--version", fmt::format("{} {}", app.get_name(), LEAT_VERSION));
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
  } catch (const CLI::CallForAllHelp&) {
    fmt::print("{}", app.help("", CLI::AppFormatMode::All));
  } catch (const CLI::CallForVersion&) {
    fmt::print("{}\n", app.version());
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{} (see {} --help)", error.what(), app.get_name()));
  }
  return false;
}

std::optional<std::size_t> parse_number(std::string_view text, std::size_t low, std::size_t high) {
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && stop == text.data() + text.size();
  if (!whole || number < low || number > high) return std::nullopt;
  return number;
}

int run_program(std::string_view program, const std::function<void()>& body) noexcept {
  try {
    body();
    if (std::fflush(stdout) != 0) throw_errno("writing to standard output");
    return 0;
  } catch (const UsageError& error) {
    return report(program, error, 2);
  } catch (const std::exception& error) {
    return report(program, error, 1);
  }
}

}  // namespace leat::tools
