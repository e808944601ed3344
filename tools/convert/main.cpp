// leat-convert: converts data sets into shards, and inspects them.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "tools/common/command_line.h"
#include "tools/convert/conversion.h"
#include "tools/convert/inspection.h"
#include "tools/convert/json_output.h"
#include "tools/convert/options.h"

using namespace leat::tools;

namespace {

void print(const ConversionResult& result) {
  const std::string split = result.split.empty() ? "" : result.split + ": ";
  if (result.was_finished) return fmt::print("{}finished before\n", split);
  for (const BadSample& bad : result.skipped) {
    fmt::print(stderr, "skipped: sample {}: {}: {}\n", bad.index, bad.source, bad.reason);
  }
  if (result.resumed != 0) fmt::print("{}{} samples were there already\n", split, result.resumed);
  fmt::print(
      "{}{} samples in {} shards, {:.1f} MB; read {:.1f} MB in {:.2f} s, {:.1f} MB/s; compression: {}\n",
      split, result.samples, result.shards, double(result.written_bytes) / 1e6,
      double(result.read_bytes) / 1e6, result.seconds, double(result.read_bytes) / 1e6 / result.seconds,
      result.compression);
  for (const std::string& sentence : result.warnings)
    fmt::print(stderr, "leat-convert: warning: {}{}\n", split, sentence);
  if (!result.skipped.empty()) fmt::print("{}{} bad samples were skipped\n", split, result.skipped.size());
}

void run_conversion(const ConvertOptions& options) {
  const std::vector<ConversionResult> results = convert(options);
  if (options.json) return print_text(to_json(options, results));
  for (const ConversionResult& result : results) print(result);
}

void run_command(const Command& command) {
  switch (command.kind) {
    case Command::Kind::convert:
      return run_conversion(command.convert);
    case Command::Kind::inspect:
      print_text(inspect(command.inspect));
      return;
    case Command::Kind::verify:
      if (const std::size_t bad = verify(command.inspect); bad != 0) {
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
