#include "tools/common/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string_view>

#include "tools/common/text_file.h"

namespace leat::tools {
namespace {

// The parsed name of a CLI11 type, such as "INT:INT in [1 - 64]" or "TEXT:{a,b}": a name, then what the checks add.
struct TypeName {
  std::string name;
  std::vector<std::string> choices;
  std::string range;  // "1 to 64"
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(separator, first), text.size());
    parts.emplace_back(text.substr(first, end - first));
    first = end + 1;
  }
  return parts;
}

// Returns the text between the first `open` and the next `close`. Empty if there is none.
std::string_view between(std::string_view text, char open, char close) {
  const std::size_t first = text.find(open);
  if (first == std::string_view::npos) return {};
  const std::size_t last = text.find(close, first);
  return last == std::string_view::npos ? std::string_view() : text.substr(first + 1, last - first - 1);
}

TypeName parse_type(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view checks = text.substr(colon);
  TypeName type{.name = std::string(text.substr(0, colon)), .choices = {}, .range = {}};
  if (const auto choices = between(checks, '{', '}'); !choices.empty()) type.choices = split(choices, ',');
  const std::string_view range = between(checks, '[', ']');
  if (const std::size_t dash = range.find(" - "); dash != std::string_view::npos) {
    type.range = fmt::format("{} to {}", range.substr(0, dash), range.substr(dash + 3));
  }
  if (type.name == "INT" || type.name == "UINT") type.name = "N";
  if (type.name == "FLOAT") type.name = "X";
  return type;
}

ValueKind kind_of(const TypeName& type) {
  if (!type.choices.empty()) return ValueKind::choice;
  if (type.name == "FILE") return ValueKind::file;
  if (type.name == "FOLDER") return ValueKind::folder;
  if (type.name == "URI") return ValueKind::uri;
  return ValueKind::text;
}

std::string with_limits(std::string description, const std::string& range, const std::string& standard) {
  std::string limits;
  if (!range.empty()) limits += range;
  if (!standard.empty()) limits += fmt::format("{}default: {}", limits.empty() ? "" : "; ", standard);
  return limits.empty() ? description : fmt::format("{} ({})", description, limits);
}

ManualOption describe_option(const CLI::Option& option) {
  ManualOption result;
  result.positional = option.get_positional();
  result.required = option.get_required();
  if (result.positional) result.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  const TypeName type = parse_type(option.get_type_name());
  if (option.get_expected_max() > 0) {
    result.kind = kind_of(type);
    result.value = type.choices.empty() ? type.name : fmt::format("{}", fmt::join(type.choices, "|"));
    result.choices = type.choices;
  }
  std::string standard = option.get_default_str();
  if (standard.starts_with('[')) standard = std::string(between(standard, '[', ']'));  // a list's default
  result.description = with_limits(option.get_description(), type.range, standard);
  return result;
}

// Returns the options, positional ones first.
std::vector<ManualOption> options_of(const CLI::App& app) {
  std::vector<ManualOption> options;
  for (const bool positional : {true, false}) {
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() == positional) options.push_back(describe_option(*option));
    }
  }
  return options;
}

}  // namespace

Manual make_manual(const CLI::App& app, ProgramText text, std::string version) {
  Manual manual{.program = app.get_name(),
                .version = std::move(version),
                .text = std::move(text),
                .options = options_of(app),
                .commands = {}};
  if (manual.text.description.empty()) manual.text.description = app.get_description();
  for (const CLI::App* command : app.get_subcommands({})) {
    manual.commands.push_back({command->get_name(), command->get_description(), options_of(*command)});
  }
  return manual;
}

std::string usage_of(const ManualOption& option) {
  if (option.positional || option.value.empty()) return option.names.front();
  return fmt::format("{} {}", option.names.front(), option.value);
}

void write_manual_files(const Manual& manual, const std::string& folder) {
  namespace fs = std::filesystem;
  const auto write = [&](const fs::path& name, const std::string& text) {
    const fs::path path = fs::path(folder) / name;
    fs::create_directories(path.parent_path());
    write_text_file(path.string(), text);
  };
  write("man/man1/" + manual.program + ".1", man_page(manual));
  write("bash-completion/completions/" + manual.program, bash_completion(manual));
  write("zsh/site-functions/_" + manual.program, zsh_completion(manual));
  write("fish/vendor_completions.d/" + manual.program + ".fish", fish_completion(manual));
}

}  // namespace leat::tools
