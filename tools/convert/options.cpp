#include "tools/convert/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "leat/loader/os/cpus.h"
#include "tools/common/command_line.h"
#include "tools/convert/manual_text.h"

namespace leat::tools {

using namespace detail;

namespace {

constexpr const char* kAbout =
    "SRC is an image folder (one sub-folder per class, with JPEG and PNG files), leat records, or data of\n"
    "another format, recognized by the names of files (index.json: mds; .tar, .tar.gz, .tar.zst: "
    "webdataset;\n"
    ".tfrecord; .beton; .csv and .tsv: manifests; idx and cifar folders) or named as listed below. These "
    "other\n"
    "formats are read twice, first for the greatest length of each field. SRC is only read: DST, a folder "
    "that\n"
    "must not exist, cannot lie in it.\n\n"
    "Where SRC has splits (train/ with val/ or test/ below it, or the two parts of idx and cifar), each "
    "becomes\n"
    "a data set of its own: DST/train, DST/test. --split NAME converts that one, to DST.\n\n"
    "Without --resize, --quality and --raw every byte of the images stays what it is. The output is the "
    "same\n"
    "for any number of workers. It is written into DST.partial, which becomes DST when all is on the disk;\n"
    "after a crash or on a full disk, --resume goes on behind the last whole shard.";

struct Texts {  // options that are parsed after the command line
  std::string split, to = "leat", resize, zstd = "auto", shard_size, on_error = "stop";
  bool allow_corrupt = false, allow_empty = false;
};

void add_conversion(CLI::App& app, ConvertOptions& options, Texts& texts) {
  app.add_option("SRC", options.source, "What to read, a source: see below")->type_name("URI");
  app.add_option("DST", options.destination, "The folder to make")->type_name("FOLDER");
  app.add_option("--to", texts.to, "The format to write")
      ->check(CLI::IsMember({"leat", "webdataset", "mds"}))
      ->capture_default_str();
  app.add_option(
         "--resize", texts.resize,
         "short:N scales larger images down until the shorter side has N pixels, max:N the longer one; "
         "square:N makes all N x N, by scaling and cutting out the middle")
      ->type_name("RULE");
  app.add_option("--image-field", options.image_field,
                 "Which field of SRC holds the images, where several do (to resize, encode, call image)")
      ->type_name("NAME");
  app.add_option("--quality", options.quality,
                 "Encode images anew as JPEGs of this quality (resized JPEGs: 90; resized PNGs stay PNGs)")
      ->check(CLI::Range(1, 100));
  app.add_flag("--raw", options.raw,
               "Store pixels instead of files: many times the size, and nothing to decode");
  app.add_option("--zstd", texts.zstd,
                 "leat only: auto (measured; none with --raw), none, or a level from 1 to 22")
      ->type_name("LEVEL")
      ->capture_default_str();
  app.add_option("--shard-size", texts.shard_size,
                 "Bytes per shard, such as 256MiB (the default; mds: 64MiB)")
      ->type_name("BYTES");
  app.add_option("--num-workers,--workers", options.workers,
                 "Threads, or auto: as many as there are CPUs, the default")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->transform(CLI::Transformer(std::map<std::string, int>{{"auto", options.workers}}).description(""));
  app.add_flag("--verify", options.verify, "Read back all that was written and check it");
  app.add_flag("--resume", options.resume, "Go on with a conversion that was broken off");
  app.add_option("--on-error", texts.on_error,
                 "What to do at a bad sample: stop, or skip it and list it; --resume --on-error skip goes on "
                 "behind one")
      ->check(CLI::IsMember({"stop", "skip"}))
      ->capture_default_str();
}

// Adds the source to the command or to a sub-command.
void add_source(CLI::App& app, Texts& texts) {
  app.add_option("--split,--part", texts.split,
                 "The split to read, such as train or test (default: all that SRC has)")
      ->type_name("NAME");
  add_leniency(app, texts.allow_corrupt, texts.allow_empty);
}

void parse_zstd(const std::string& text, ConvertOptions& options) {
  using Zstd = RecordWriterOptions::Zstd;
  if (text == "auto" && options.raw) options.zstd = Zstd::off;  // pixels are stored to be read fast
  if (text == "auto") return;
  if (text == "none") {
    options.zstd = Zstd::off;
    return;
  }
  const auto level = parse_number(text, 1, 22);
  if (!level) throw UsageError(fmt::format("--zstd {}: give auto, none, or a level from 1 to 22", text));
  options.zstd = Zstd::on;
  options.zstd_level = static_cast<int>(*level);
}

void finish_conversion(const Texts& texts, ConvertOptions& options) {
  if (options.source.empty() || options.destination.empty()) {
    throw UsageError("give SRC and DST, or inspect PATH, or verify PATH (see leat-convert --help)");
  }
  options.to = texts.to == "leat" ? Target::leat : texts.to == "mds" ? Target::mds : Target::webdataset;
  if (!texts.resize.empty()) options.resize = parse_resize(texts.resize);
  if (options.raw && options.quality)
    throw UsageError("--raw stores pixels: --quality has no meaning with it");
  if (options.to != Target::leat && texts.zstd != "auto") {
    throw UsageError(fmt::format("--zstd is for leat records, not for {}", texts.to));
  }
  parse_zstd(texts.zstd, options);
  options.skip_errors = texts.on_error == "skip";
  if (options.to == Target::mds) options.shard_bytes = std::uint64_t{64} << 20;
  if (texts.shard_size.empty()) return;
  const auto bytes = parse_bytes(texts.shard_size);
  if (!bytes)
    throw UsageError(
        fmt::format("--shard-size {}: give a number of bytes, such as 256MiB", texts.shard_size));
  options.shard_bytes = *bytes;
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> kUnits{{{"KiB", 1ULL << 10},
                                                                              {"MiB", 1ULL << 20},
                                                                              {"GiB", 1ULL << 30},
                                                                              {"KB", 1'000},
                                                                              {"MB", 1'000'000},
                                                                              {"GB", 1'000'000'000},
                                                                              {"B", 1},
                                                                              {"", 1}}};
  for (const auto& [name, bytes] : kUnits) {
    if (!text.ends_with(name)) continue;
    const auto count =
        parse_number(text.substr(0, text.size() - name.size()), 1, (std::uint64_t{1} << 62) / bytes);
    if (!count) return std::nullopt;
    return *count * bytes;
  }
  return std::nullopt;
}

ResizeRule parse_resize(const std::string& text) {
  using Kind = ResizeRule::Kind;
  constexpr std::array<std::pair<std::string_view, Kind>, 3> kRules{
      {{"short:", Kind::short_side}, {"max:", Kind::longest_side}, {"square:", Kind::square}}};
  for (const auto& [name, kind] : kRules) {
    if (!text.starts_with(name)) continue;
    if (const auto size = parse_number(std::string_view(text).substr(name.size()), 1, 65'500)) {
      return {kind, static_cast<int>(*size)};
    }
  }
  throw UsageError(fmt::format("--resize {}: give short:N, max:N or square:N, with N from 1 to 65500", text));
}

std::optional<Command> read_command(int argc, const char* const* argv) {
  Command command;
  command.convert.workers = std::clamp(static_cast<int>(std::ceil(usable_cpus())), 1, 1024);
  Texts texts;
  bool json = false;
  CLI::App app(kAbout, "leat-convert");
  add_conversion(app, command.convert, texts);
  CLI::App* const inspect = app.add_subcommand("inspect", "Print the schema, counts and sizes of a data set");
  CLI::App* const verify =
      app.add_subcommand("verify", "Check all of a data set; list what is bad, with exit code 1");
  for (CLI::App* const sub : {inspect, verify})
    sub->add_option("PATH", command.inspect.uri, "A data set, as SRC")->type_name("URI")->required();
  inspect
      ->add_option("--contact-sheet", command.inspect.contact_sheet,
                   "Draw the first samples and their labels into this file, a PNG")
      ->type_name("FILE");
  inspect->add_option("--samples", command.inspect.samples, "How many of them")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  for (CLI::App* const each : {&app, inspect, verify}) {
    add_source(*each, texts);
    each->add_flag("--json", json, "Print the result as JSON, and nothing else, to standard output");
  }
  app.require_subcommand(0, 1);
  if (!read_command_line(app, convert_manual(), argc, argv)) return std::nullopt;
  command.inspect.json = command.convert.json = json;
  if (!texts.split.empty()) command.inspect.split = command.convert.split = texts.split;
  command.inspect.allow_corrupt = command.convert.allow_corrupt = texts.allow_corrupt;
  command.inspect.allow_empty = command.convert.allow_empty = texts.allow_empty;
  if (inspect->parsed()) {
    command.kind = Command::Kind::inspect;
  } else if (verify->parsed()) {
    command.kind = Command::Kind::verify;
  } else {
    finish_conversion(texts, command.convert);
  }
  return command;
}

}  // namespace leat::tools
