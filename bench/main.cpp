// leat-bench [--images FOLDER] [Google Benchmark's flags]
//
// Prints, for each case, the samples per second of the bare loop that does the unavoidable work, of leat, and their
// ratio, from runs that alternate. FOLDER is an image folder (one sub-folder per class); without it, 300 generated
// pictures are used.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/comparison.h"
#include "bench/jpeg_samples.h"
#include "bench/tiny_samples.h"
#include "datasets/synthetic_folder.h"

namespace {

// Takes "--images FOLDER" out of the arguments.
std::filesystem::path image_folder(std::vector<char*>& arguments) {
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
    if (std::string(arguments[i]) != "--images") continue;
    const std::filesystem::path folder = arguments[i + 1];
    arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                    arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    return folder;
  }
  const std::filesystem::path generated = LEAT_BENCH_DATA;
  std::filesystem::create_directories(generated.parent_path());
  leat::write_synthetic_image_folder(generated,
                                     {.images = 375, .seed = 1, .threads = 1, .progress = nullptr});
  return generated / "train";
}

int run(std::vector<char*> arguments) {
  const std::filesystem::path images = image_folder(arguments);
  char interleave[] = "--benchmark_enable_random_interleaving=true";
  char repeat[] = "--benchmark_repetitions=7";
  arguments.insert(arguments.begin() + 1, {interleave, repeat});
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  leat::bench::add_tiny_samples();
  leat::bench::add_jpeg_samples(images);
  leat::bench::run_and_compare();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "leat-bench: {}\n", error.what());
    return 1;
  }
}
