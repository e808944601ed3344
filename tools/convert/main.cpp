// leat-convert: data sets into shards.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "tools/common/command_line.h"
#include "tools/convert/conversion.h"
#include "tools/convert/inspection.h"
#include "tools/convert/options.h"

using namespace leat::tools;

namespace {

void run_conversion(const ConvertOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const ConversionResult result = convert(options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const BadSample& bad : result.skipped) {
    fmt::print(stderr, "skipped: sample {}: {}: {}\n", bad.index, bad.source, bad.reason);
  }
  if (result.resumed != 0) fmt::print("{} samples were there already\n", result.resumed);
  fmt::print("{} samples in {} shards, {:.1f} MB; read {:.1f} MB in {:.2f} s, {:.1f} MB/s; compression: {}\n",
             result.samples, result.shards, double(result.written_bytes) / 1e6,
             double(result.read_bytes) / 1e6, seconds, double(result.read_bytes) / 1e6 / seconds,
             result.compression);
  if (!result.skipped.empty()) fmt::print("{} bad samples were skipped\n", result.skipped.size());
}

void run_command(const Command& command) {
  switch (command.kind) {
    case Command::Kind::convert:
      return run_conversion(command.convert);
    case Command::Kind::inspect:
      fmt::print("{}", inspect(command.inspect));
      return;
    case Command::Kind::verify:
      if (const std::size_t bad = verify(command.inspect.uri, command.inspect.part); bad != 0) {
        std::fflush(stdout);
        throw leat::DataError(command.inspect.uri, fmt::format("{} bad samples", bad));
      }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("leat-convert", [&] {
    if (const auto command = read_command(argc, argv)) run_command(*command);
  });
}
