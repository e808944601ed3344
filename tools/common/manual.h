// A description of a program's command line, from which its help, man page and shell completions are made.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace leat::tools {

// A table in the manual, below a heading: data URIs, or environment variables.
struct ManualTable {
  std::string heading;
  std::vector<std::pair<std::string, std::string>> rows;  // the term, and its meaning
};

struct Example {
  std::string what;     // "Two replicas in one process"
  std::string command;  // a whole command line
};

// The part of a manual that cannot be derived from the options.
struct ProgramText {
  std::string summary;  // one line, without the program's name and without a period
  std::string
      description;  // paragraphs, separated by empty lines, to be wrapped; if empty, CLI::App's description
  std::vector<ManualTable> tables;
  std::vector<Example> examples;
  std::vector<std::string> see_also{};  // other programs
  std::string usage{};                  // if it does not follow from the options
  std::string exit_status{};            // if it is not that of run_program()
};

// Kinds of values, by which a shell completes them.
enum class ValueKind { none, text, file, folder, uri, choice };

struct ManualOption {
  std::vector<std::string> names;  // "--num-workers", then older names and "-h"; only "SRC" if positional
  bool positional = false;
  bool required = false;
  ValueKind kind = ValueKind::none;  // none for a flag
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

// Reads the options and sub-commands that are registered with `app`. The name of an option's type gives the kind of
// its value: FILE, FOLDER, URI, or anything else.
Manual make_manual(const CLI::App& app, ProgramText text, std::string version);

// Returns "--data URI", "--num-workers N", or "SRC".
std::string usage_of(const ManualOption& option);

// Returns the page that --help prints, for the sub-command `command` if it is not empty.
std::string help_page(const Manual& manual, const std::string& command = {});

// Returns a man page of section 1, in the macros of man(7).
std::string man_page(const Manual& manual);

// Return the completions for the three shells. Each is a file that the shell loads by the program's name.
std::string bash_completion(const Manual& manual);
std::string zsh_completion(const Manual& manual);
std::string fish_completion(const Manual& manual);

// Writes the man page and the completions below `folder`, in the layout of a prefix's share/.
void write_manual_files(const Manual& manual, const std::string& folder);

}  // namespace leat::tools
