// The text of --help, and the man page.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tools/common/manual.h"

namespace leat::tools {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kTermWidth = 26;  // width of options and terms, with the indentation

constexpr std::string_view kExitStatus =
    "0; 1 after an error at run time, output that cannot be written included; 2 if the command line, or the "
    "data that it names, is wrong. An error is one line on standard error.";

// Breaks the words of `text` into lines of `width`, and indents each after the first. An empty line separates
// paragraphs.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = 0;
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == '\n') {
      if (text.starts_with("\n\n")) {
        result += "\n\n" + std::string(indent, ' ');
        column = 0;
      }
      text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
      continue;
    }
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(word.size());
    if (column != 0 && column + 1 + word.size() > width - indent) {
      result += "\n" + std::string(indent, ' ');
      column = 0;
    } else if (column != 0) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string row(const std::string& term, const std::string& meaning) {
  std::string line = "  " + term;
  if (line.size() + 2 > kTermWidth) {
    line += "\n" + std::string(kTermWidth, ' ');
  } else {
    line.resize(kTermWidth, ' ');
  }
  return line + wrapped(meaning, kWidth, kTermWidth) + "\n";
}

// Returns all the names: "--num-workers N, --workers N".
std::string all_names(const ManualOption& option) {
  std::string text;
  for (const std::string& name : option.names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return option.positional || option.value.empty() ? text : text + " " + option.value;
}

std::string option_rows(const std::vector<ManualOption>& options) {
  std::string text;
  for (const ManualOption& option : options) {
    text += row(all_names(option), option.description + (option.required ? " (required)" : ""));
  }
  return text;
}

std::string synopsis(const std::string& program, const std::vector<ManualOption>& options) {
  std::string text = program;
  for (const ManualOption& option : options) {
    if (option.positional || option.required) text += " " + usage_of(option);
  }
  return text + " [options]";
}

// Returns every synopsis: the program's, and those of its commands.
std::vector<std::string> synopses(const Manual& manual) {
  const std::string& usage = manual.text.usage;
  std::vector<std::string> lines{usage.empty() ? synopsis(manual.program, manual.options) : usage};
  for (const ManualCommand& command : manual.commands) {
    lines.push_back(synopsis(manual.program + " " + command.name, command.options));
  }
  return lines;
}

// Escapes for troff: a backslash, a hyphen that must stay a hyphen, and a control character at the start of a line.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      result += std::string("\\&") + c;
    } else {
      result += c;
    }
  }
  return result;
}

std::string man_term(const std::string& term, const std::string& meaning) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(term), escaped(meaning));
}

std::string man_options(const std::vector<ManualOption>& options) {
  std::string text;
  for (const ManualOption& option : options) {
    text += man_term(all_names(option), option.description + (option.required ? " (required)" : ""));
  }
  return text;
}

std::string man_paragraphs(const std::string& description) {
  std::string text = escaped(description);
  for (std::size_t gap = 0; (gap = text.find("\n\n", gap)) != std::string::npos;)
    text.replace(gap, 2, "\n.PP\n");
  return text + "\n";
}

std::string_view exit_status_of(const Manual& manual) {
  return manual.text.exit_status.empty() ? kExitStatus : std::string_view(manual.text.exit_status);
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return text;
}

}  // namespace

std::string help_page(const Manual& manual, const std::string& command) {
  for (const ManualCommand& each : manual.commands) {
    if (each.name != command) continue;
    const std::string name = manual.program + " " + command;
    return fmt::format("{}\n\nUsage: {}\n\nOptions:\n{}\n{} --help tells the rest.\n",
                       wrapped(name + ": " + each.description, kWidth, 0), synopsis(name, each.options),
                       option_rows(each.options), manual.program);
  }
  std::string text = fmt::format("{}\n\nUsage: {}\n\n{}\n\nOptions:\n{}",
                                 wrapped(manual.program + ": " + manual.text.summary, kWidth, 0),
                                 fmt::join(synopses(manual), "\n       "),
                                 wrapped(manual.text.description, kWidth, 0), option_rows(manual.options));
  if (!manual.commands.empty()) text += "\nCommands:\n";
  for (const ManualCommand& each : manual.commands) {
    text +=
        row(each.name, each.description + "; its options: " + manual.program + " " + each.name + " --help");
  }
  for (const ManualTable& table : manual.text.tables) {
    text += fmt::format("\n{}:\n", table.heading);
    for (const auto& [term, meaning] : table.rows) text += row(term, meaning);
  }
  if (!manual.text.examples.empty()) text += "\nExamples:\n";
  for (const Example& example : manual.text.examples) {
    text += fmt::format("  {}:\n    {}\n", example.what, example.command);
  }
  return text +
         fmt::format("\n{}\n", wrapped(fmt::format("Exit status: {}", exit_status_of(manual)), kWidth, 0));
}

std::string man_page(const Manual& manual) {
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"leat {}\" \"leat\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.nf\n{}\n.fi\n",
      upper(manual.program), manual.version, escaped(manual.program), escaped(manual.text.summary),
      escaped(fmt::format("{}", fmt::join(synopses(manual), "\n"))));
  text += ".SH DESCRIPTION\n" + man_paragraphs(manual.text.description);
  text += ".SH OPTIONS\n" + man_options(manual.options);
  if (!manual.commands.empty()) text += ".SH COMMANDS\n";
  for (const ManualCommand& command : manual.commands) {
    text += fmt::format(".SS {}\n{}\n{}", escaped(command.name), escaped(command.description),
                        man_options(command.options));
  }
  for (const ManualTable& table : manual.text.tables) {
    text += ".SH " + upper(table.heading) + "\n";
    for (const auto& [term, meaning] : table.rows) text += man_term(term, meaning);
  }
  if (!manual.text.examples.empty()) text += ".SH EXAMPLES\n";
  for (const Example& example : manual.text.examples) {
    text += fmt::format(".PP\n{}:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", escaped(example.what),
                        escaped(example.command));
  }
  text += fmt::format(".SH EXIT STATUS\n{}\n", escaped(exit_status_of(manual)));
  std::string others;
  for (const std::string& program : manual.text.see_also) {
    others += fmt::format("{}.BR {} (1)", others.empty() ? "" : " ,\n", escaped(program));
  }
  return others.empty() ? text : text + ".SH SEE ALSO\n" + others + "\n";
}

}  // namespace leat::tools
