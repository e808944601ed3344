#include "tools/common/manual.h"

#include <CLI/CLI.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/datasets/formats/records/arithmetic_records.h"
#include "tests/support/temporary_folder.h"

using namespace leat::tools;
using leat::test::TemporaryFolder;
using Words = std::vector<std::string>;

namespace {

// A program with an option of each kind, and with a command.
Manual small_manual() {
  CLI::App app("", "leat-mill");
  static std::string text;
  static int number = 3;
  app.add_option("SRC", text, "What to grind")->type_name("URI");
  app.add_option("--num-workers,--workers", number, "Millers. Not horses")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  app.add_option("--grain", text, "Don't mix [them]")->check(CLI::IsMember({"rye", "oats"}))->required();
  app.add_option("--json", text, "Figures")->type_name("FILE");
  app.add_option("--into", text, "Sacks")->type_name("FOLDER");
  static bool flag = false;
  app.add_flag("--fine", flag, "Twice");
  CLI::App* const weigh = app.add_subcommand("weigh", "Weigh what was ground");
  weigh->add_option("--unit", text, "Of weight")->check(CLI::IsMember({"kg", "stone"}));
  return make_manual(app,
                     {.summary = "grinds",
                      .description = "First.\n\n.Second paragraph - with a \\ in it",
                      .tables = {{"Data URIs", {{"PATH", "A heap"}, {"sack:PATH", "A sack"}}}},
                      .examples = {{"Fine flour", "leat-mill --fine --grain rye"}}},
                     "1.2.3");
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What a shell's function completes. The last word is the one in which the cursor stands.
Words complete(const Words& words) {
  const TemporaryFolder folder, other;
  folder.write("heap.txt", "");
  const std::string script = other.write("mill.bash", bash_completion(small_manual())).string();
  std::string command = "cd " + folder.path().string() + " && source " + script + " && COMP_WORDS=(";
  for (const std::string& word : words) command += "\"" + word + "\" ";
  command += ") && COMP_CWORD=" + std::to_string(words.size() - 1) +
             " && _leat_mill && printf \"%s\\n\" \"${COMPREPLY[@]}\" >" + (other / "found").string();
  REQUIRE(std::system(("bash -c '" + command + "'").c_str()) == 0);
  std::istringstream found(leat::test::content_of(other / "found"));
  Words result;
  for (std::string line; std::getline(found, line);) {
    if (!line.empty()) result.push_back(line);
  }
  return result;
}

}  // namespace

TEST_CASE("help shows values, ranges, defaults, tables and examples") {
  const std::string help = help_page(small_manual());
  INFO(help);
  CHECK(holds(help, "leat-mill: grinds\n"));
  CHECK(holds(help, "Usage: leat-mill SRC --grain rye|oats [options]\n       leat-mill weigh [options]\n"));
  CHECK(holds(help, "--num-workers, --workers N"));
  CHECK(holds(help, "Millers. Not horses (1 to 8; default: 3)"));
  CHECK(holds(help, "--grain rye|oats"));
  CHECK(holds(help, "Don't mix [them] (required)"));
  CHECK(holds(help, "First.\n\n.Second paragraph"));
  CHECK(holds(help, "  sack:PATH               A sack\n"));
  CHECK(holds(help, "    leat-mill --fine --grain rye\n"));
  CHECK(holds(help_page(small_manual(), "weigh"), "--unit kg|stone"));
}

TEST_CASE("no line of a help page is wider than a hundred characters") {
  Manual manual = small_manual();
  for (int i = 0; i < 60; ++i) manual.text.description += " word" + std::to_string(i * i * i);
  manual.options[1].description = manual.text.description;
  std::istringstream lines(help_page(manual));
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("a man page escapes what troff would take for its own") {
  const std::string page = man_page(small_manual());
  INFO(page);
  CHECK(holds(page, ".TH LEAT-MILL 1 \"\" \"leat 1.2.3\""));
  CHECK(holds(page, "\n.PP\n\\&.Second paragraph \\- with a \\e in it\n"));
  CHECK(holds(page, ".B \\-\\-num\\-workers, \\-\\-workers N\n"));
  CHECK(holds(page, ".SS weigh\n"));
}

TEST_CASE("bash completes options, commands and files", "[process]") {
  CHECK(complete({"leat-mill", "--"}) ==
        Words{"--help", "--num-workers", "--grain", "--json", "--into", "--fine"});
  CHECK(complete({"leat-mill", "w"}) == Words{"weigh"});
  CHECK(complete({"leat-mill", "heap"}) == Words{"heap.txt"});
  CHECK(complete({"leat-mill", "--json", "he"}) == Words{"heap.txt"});
  CHECK(complete({"leat-mill", "weigh", "--u"}) == Words{"--unit"});
}

TEST_CASE("bash completes values", "[process]") {
  CHECK(complete({"leat-mill", "--grain", ""}) == Words{"rye", "oats"});
  CHECK(complete({"leat-mill", "--grain", "o"}) == Words{"oats"});
  CHECK(complete({"leat-mill", "--grain", "=", "o"}) == Words{"oats"});
  CHECK(complete({"leat-mill", "--grain", "="}) == Words{"rye", "oats"});
  CHECK(complete({"leat-mill", "weigh", "--unit", ""}) == Words{"kg", "stone"});
  CHECK(complete({"leat-mill", "--workers", ""}).empty());
  CHECK(complete({"leat-mill", "sack", ":", "he"}) == Words{"heap.txt"});
  CHECK(complete({"leat-mill", "sack", ":"}) == Words{"heap.txt"});
  CHECK(complete({"leat-mill", "--into", "he"}).empty());  // no folder
}

TEST_CASE("zsh and fish get the same options and values, quoted") {
  const std::string zsh = zsh_completion(small_manual()), fish = fish_completion(small_manual());
  INFO(zsh << fish);
  CHECK(zsh.starts_with("#compdef leat-mill\n"));
  CHECK(holds(zsh, R"('--grain[Don'\''t mix \[them\]]:rye|oats:(rye oats)')"));
  CHECK(holds(zsh, "'--num-workers[Millers]:N: '"));
  CHECK(holds(zsh, "'--unit[Of weight]:kg|stone:(kg stone)'"));
  CHECK(holds(zsh, "':SRC:_leat_mill_uri'"));
  CHECK(holds(fish, R"(-l grain -x -a 'rye oats' -d 'Don'\''t mix [them]')"));
  CHECK(holds(fish, "-l num-workers -l workers -x -d 'Millers'"));
  CHECK(holds(fish, "-n '__fish_seen_subcommand_from weigh' -l unit -x -a 'kg stone'"));
}

TEST_CASE("shells that are installed accept their completions", "[process]") {
  const TemporaryFolder folder;
  const auto zsh = folder.write("_leat-mill", zsh_completion(small_manual())).string();
  const auto fish = folder.write("leat-mill.fish", fish_completion(small_manual())).string();
  CHECK(std::system(("! command -v zsh >/dev/null || zsh -n " + zsh).c_str()) == 0);
  CHECK(std::system(("! command -v fish >/dev/null || HOME=" + folder.path().string() + " fish -n " + fish)
                        .c_str()) == 0);
}
