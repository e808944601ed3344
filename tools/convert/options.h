// The command line of leat-convert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "leat/datasets/record_writer.h"

namespace leat::tools {

enum class Target { leat, webdataset, mds };

struct ResizeRule {
  enum class Kind { keep, short_side, longest_side, square };

  Kind kind = Kind::keep;
  int size = 0;
};

struct ConvertOptions {
  std::string source;                // see sources_of()
  std::optional<std::string> split;  // one split of it; if empty, all splits
  std::filesystem::path destination;
  Target to = Target::leat;
  std::string image_field;  // its name in the source; empty if there is only one candidate
  ResizeRule resize;
  std::optional<int> quality;
  bool raw = false;
  RecordWriterOptions::Zstd zstd = RecordWriterOptions::Zstd::automatic;
  int zstd_level = 3;
  std::uint64_t shard_bytes = std::uint64_t{256} << 20;
  int workers = 1;
  bool verify = false;
  bool resume = false;
  bool skip_errors = false;
  bool allow_corrupt = false;  // as in JpegLimits
  bool allow_empty = false;    // as in ImageFolderOptions
  bool json = false;
};

struct InspectOptions {
  std::string uri;  // see sources_of()
  std::optional<std::string> split = {};
  std::string contact_sheet = {};  // file to write; empty for none
  std::size_t samples = 64;        // number of samples on the sheet
  bool allow_corrupt = false;      // as in JpegLimits
  bool allow_empty = false;        // as in ImageFolderOptions
  bool json = false;
};

struct Command {
  enum class Kind { convert, inspect, verify };

  Kind kind = Kind::convert;
  ConvertOptions convert;
  InspectOptions inspect;  // verify uses its source, split and json
};

// Returns nullopt if --help or --version was given and its text has been printed. Throws UsageError.
std::optional<Command> read_command(int argc, const char* const* argv);

// Parses "256MiB", "64MB" or "1000000" to bytes. Returns nullopt if the text is no size, or 0.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

// Parses "short:256", "max:512" or "square:256". Throws UsageError.
ResizeRule parse_resize(const std::string& text);

}  // namespace leat::tools
