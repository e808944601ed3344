// What a program's help, man page and shell completions are made of: one description of its command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace leat::tools {

// A table of the manual, below a heading: data URIs, variables of the environment.
struct ManualTable {
  std::string heading;
  std::vector<std::pair<std::string, std::string>> rows;  // the term, and what it means
};

struct Example {
  std::string what;     // "Two replicas in one process"
  std::string command;  // a whole command line
};

// The part of a manual that options do not tell.
struct ProgramText {
  std::string summary;  // one line, without the program's name and without a period
  std::string
      description;  // paragraphs, separated by empty lines, that are filled; empty: CLI::App's description
  std::vector<ManualTable> tables;
  std::vector<Example> examples;
  std::vector<std::string> see_also{};  // other programs
};

// What a value is, so that a shell completes it.
enum class ValueKind { none, text, file, folder, uri, choice };

struct ManualOption {
  std::vector<std::string>
      names;  // "--num-workers", then older names and "-h"; of a positional one, "SRC" alone
  bool positional = false;
  bool required = false;
  ValueKind kind = ValueKind::none;  // none: a flag
  std::string value;                 // "N", "FILE", "train|val"; empty for a flag
  std::vector<std::string> choices;
  std::string description;  // with range and default
};

struct ManualCommand {
  std::string name;
  std::string description;
  std::vector<ManualOption> options;
};

struct Manual {
  std::string program;
  std::string version;
  ProgramText text;
  std::vector<ManualOption> options;
  std::vector<ManualCommand> commands;
};

// Reads the options and sub-commands that `app` was told. The name of an option's type says what its value is: FILE,
// FOLDER, URI, or anything else.
Manual make_manual(const CLI::App& app, ProgramText text, std::string version);

// "--data URI", "--num-workers N", "SRC".
std::string usage_of(const ManualOption& option);

// The page that --help prints; of a sub-command, where `command` names one.
std::string help_page(const Manual& manual, const std::string& command = {});

// A man page of section 1, in the macros of man(7).
std::string man_page(const Manual& manual);

// Completions for the three shells, each a file that the shell loads by the program's name.
std::string bash_completion(const Manual& manual);
std::string zsh_completion(const Manual& manual);
std::string fish_completion(const Manual& manual);

// Writes man page and completions below `folder`, laid out like a prefix's share/.
void write_manual_files(const Manual& manual, const std::string& folder);

}  // namespace leat::tools
