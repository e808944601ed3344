// Shell completions for bash, zsh and fish.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tools/common/manual.h"

namespace leat::tools {
namespace {

// Returns the schemes of data URIs: the terms in the manual's tables that end with a colon and a place, as in
// "leat:PATH".
std::vector<std::string> schemes_of(const Manual& manual) {
  std::vector<std::string> schemes;
  for (const ManualTable& table : manual.text.tables) {
    for (const auto& [term, meaning] : table.rows) {
      const std::size_t colon = term.find(':');
      if (colon != std::string::npos) schemes.push_back(term.substr(0, colon + 1));
    }
  }
  return schemes;
}

std::string identifier(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

// Returns the text with a backslash before each of the `special` characters.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// Returns the text in single quotes, valid in all three shells.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

// Returns the first sentence, or part of one, because a shell shows one line.
std::string brief(const std::string& description) {
  std::size_t end = description.size();
  for (const char* stop : {". ", "; ", " ("}) end = std::min(end, description.find(stop));
  if (end != 0 && description[end - 1] == '.') --end;
  return description.substr(0, end);
}

std::string option_words(const std::vector<ManualOption>& options) {
  std::string words;
  for (const ManualOption& option : options) {
    if (!option.positional) words += (words.empty() ? "" : " ") + option.names.front();
  }
  return words;
}

// Returns the alternatives of a bash `case`, one for each option with a value: "<command> <option>".
std::string bash_values(const std::string& command, const std::vector<ManualOption>& options) {
  std::string text;
  for (const ManualOption& option : options) {
    if (option.positional || option.kind == ValueKind::none) continue;
    std::string patterns;
    for (const std::string& name : option.names) {
      patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : " | ", command, name);
    }
    std::string reply = "return";
    if (option.kind == ValueKind::choice)
      reply = fmt::format("words={}", quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    if (option.kind == ValueKind::file) reply = "files=-f";
    if (option.kind == ValueKind::folder) reply = "files=-d";
    if (option.kind == ValueKind::uri) reply = "files=-f words=$schemes";
    text += fmt::format("    {}) {} ;;\n", patterns, reply);
  }
  return text;
}

bool takes_files(const std::vector<ManualOption>& options) {
  return std::ranges::any_of(options, &ManualOption::positional);
}

// Returns the words for any place that is not an option's value: options, commands, and files for positional
// arguments.
std::string bash_words(const std::string& command, const std::string& words, bool files) {
  return fmt::format("    '{} '*) words={}{} ;;\n", command, quoted(words), files ? " files=-f" : "");
}

std::string zsh_action(const Manual& manual, const ManualOption& option) {
  switch (option.kind) {
    case ValueKind::choice:
      return fmt::format("({})", fmt::join(option.choices, " "));
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_files -/";
    case ValueKind::uri:
      return fmt::format("_{}_uri", identifier(manual.program));
    case ValueKind::text:
    case ValueKind::none:
      break;
  }
  return " ";
}

std::string zsh_arguments(const Manual& manual, const std::vector<ManualOption>& options) {
  std::string text = "_arguments";
  for (const ManualOption& option : options) {
    const std::string value = fmt::format(":{}:{}", option.value, zsh_action(manual, option));
    std::string spec =
        fmt::format("{}[{}]", option.names.front(), escaped(brief(option.description), "[]\\"));
    if (option.kind != ValueKind::none) spec += value;
    if (option.positional) spec = fmt::format(":{}:{}", option.names.front(), zsh_action(manual, option));
    text += fmt::format(" \\\n    {}", quoted(spec));
  }
  return text + "\n";
}

std::string fish_line(const Manual& manual, const std::string& condition, const ManualOption& option) {
  std::string text = fmt::format("complete -c {}", manual.program);
  if (!condition.empty()) text += fmt::format(" -n {}", quoted(condition));
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (option.kind == ValueKind::choice)
    text += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  if (option.kind == ValueKind::text) text += " -x";
  if (option.kind == ValueKind::file) text += " -r -F";
  if (option.kind == ValueKind::folder) text += " -x -a '(__fish_complete_directories)'";
  if (option.kind == ValueKind::uri)
    text += fmt::format(" -r -F -a {}", quoted(fmt::format("{}", fmt::join(schemes_of(manual), " "))));
  return text + fmt::format(" -d {}\n", quoted(escaped(brief(option.description), "\\")));
}

std::string fish_options(const Manual& manual, const std::string& condition,
                         const std::vector<ManualOption>& options) {
  std::string text;
  for (const ManualOption& option : options) {
    if (!option.positional) text += fish_line(manual, condition, option);
  }
  return text;
}

}  // namespace

std::string bash_completion(const Manual& manual) {
  std::string names, values = bash_values("", manual.options), rest, commands = option_words(manual.options);
  for (const ManualCommand& command : manual.commands) {
    names += (names.empty() ? "" : " | ") + command.name;
    commands += " " + command.name;
    values += bash_values(command.name, command.options);
    rest += bash_words(command.name, option_words(command.options), takes_files(command.options));
  }
  rest += bash_words("", commands, takes_files(manual.options));
  const std::string find_command =
      names.empty() ? ""
                    : fmt::format(
                          "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case ${{COMP_WORDS[i]}} in\n"
                          "      {}) command=${{COMP_WORDS[i]}} ;;\n    esac\n  done\n",
                          names);
  return fmt::format(R"(# bash completion for {program}, made from its own description of its options
_{id}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command='' words='' files='' schemes={schemes} i
  COMPREPLY=()
  [ "$current" = = ] && current=''
  [ "$previous" = = ] && previous=${{COMP_WORDS[COMP_CWORD - 2]}}
{find_command}  case "$command $previous" in
    *' :') files=-f ;;
{values}{rest}  esac
  [ "$current" = : ] && current='' words='' files=-f
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
  case "${{COMPREPLY[0]-}}" in *:) compopt -o nospace 2>/dev/null ;; esac
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    local found
    while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen "$files" -- "$current")
  fi
  return 0
}}
complete -F _{id} {program}
)",
                     fmt::arg("program", manual.program), fmt::arg("id", identifier(manual.program)),
                     fmt::arg("schemes", quoted(fmt::format("{}", fmt::join(schemes_of(manual), " ")))),
                     fmt::arg("find_command", find_command), fmt::arg("values", values),
                     fmt::arg("rest", rest));
}

std::string zsh_completion(const Manual& manual) {
  std::string text = fmt::format(
      "#compdef {}\n# zsh completion for {}, made from its own description of its options\n"
      "_{}_uri() {{\n  compset -P '*:' || compadd -S '' -- {}\n  _files\n}}\n",
      manual.program, manual.program, identifier(manual.program), fmt::join(schemes_of(manual), " "));
  if (manual.commands.empty()) return text + zsh_arguments(manual, manual.options);
  std::string names, cases;
  for (const ManualCommand& command : manual.commands) {
    names += (names.empty() ? "" : "|") + command.name;
    cases += fmt::format("  {})\n  words=(\"${{(@)words:#{}}}\")\n  ((CURRENT--))\n  {}  ;;\n", command.name,
                         command.name, zsh_arguments(manual, command.options));
  }
  std::string described;
  for (const ManualCommand& command : manual.commands) {
    described += " " + quoted(fmt::format("{}:{}", command.name, brief(command.description)));
  }
  return text +
         fmt::format(
             "case ${{words[(r)({})]}} in\n{}  *)\n  if ((CURRENT == 2)); then\n    local -a commands=({})\n"
             "    _describe command commands\n  fi\n  {}  ;;\nesac\n",
             names, cases, described, zsh_arguments(manual, manual.options));
}

std::string fish_completion(const Manual& manual) {
  std::string text =
      fmt::format("# fish completion for {}, made from its own description of its options\n", manual.program);
  if (!takes_files(manual.options)) text += fmt::format("complete -c {} -f\n", manual.program);
  std::string names;
  for (const ManualCommand& command : manual.commands) names += " " + command.name;
  const std::string outside = names.empty() ? "" : "not __fish_seen_subcommand_from" + names;
  text += fish_options(manual, outside, manual.options);
  for (const ManualCommand& command : manual.commands) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", manual.program, command.name,
                        quoted(escaped(brief(command.description), "\\")));
    text += fish_options(manual, "__fish_seen_subcommand_from " + command.name, command.options);
  }
  return text;
}

}  // namespace leat::tools
