// leat-bench: compares leat with bare loops that do only the unavoidable work.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/comparison.h"
#include "bench/data_folder.h"
#include "bench/jpeg_samples.h"
#include "bench/tiny_samples.h"
#include "tools/common/command_line.h"
#include "tools/common/standard_tables.h"
#include "tools/synthetic/synthetic_folder.h"

namespace {

leat::tools::ProgramText manual_text() {
  return {.summary = "compares a bare loop that does the unavoidable work with leat",
          .description =
              "Prints, for each case, the samples per second of the bare loop, of leat, and their ratio, "
              "from runs that alternate. Options of Google Benchmark are understood, too: "
              "--benchmark_filter=REGEX chooses cases.",
          .tables = {leat::tools::environment_table()},
          .examples = {{"All cases, with generated images", "leat-bench"},
                       {"The cases with JPEGs, on a folder of one's own",
                        "leat-bench --images ~/data/flowers --benchmark_filter=JPEG"}},
          .see_also = {"leat-latency", "leat-sweep"}};
}

std::filesystem::path generated_images() {
  const std::filesystem::path folder = leat::bench::data_folder("images");
  leat::tools::write_synthetic_image_folder(folder,
                                            {.images = 375, .seed = 1, .threads = 1, .progress = nullptr});
  return folder / "train";
}

void run(int argc, char** argv) {
  std::string images;
  CLI::App app("", "leat-bench");
  app.add_option("--images", images,
                 "A folder with one sub-folder per class (without it: 300 generated images)")
      ->type_name("FOLDER")
      ->check(CLI::ExistingDirectory);
  app.allow_extras();
  if (!leat::tools::read_command_line(app, manual_text(), argc, argv)) return;
  std::vector<std::string> arguments{"leat-bench", "--benchmark_enable_random_interleaving=true",
                                     "--benchmark_repetitions=7"};
  for (const std::string& other : app.remaining()) arguments.push_back(other);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, pointers.data());
  if (count > 1)
    throw leat::tools::UsageError(fmt::format("there is no option {} (see leat-bench --help)", pointers[1]));
  leat::bench::add_tiny_samples();
  leat::bench::add_jpeg_samples(images.empty() ? generated_images() : std::filesystem::path(images));
  leat::bench::run_and_compare();
}

}  // namespace

int main(int argc, char** argv) {
  return leat::tools::run_program("leat-bench", [&] { run(argc, argv); });
}
