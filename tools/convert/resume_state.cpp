#include "tools/convert/resume_state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "datasets/read_file.h"
#include "datasets/records/schema_json.h"
#include "datasets/records/xxh3.h"
#include "tools/common/command_line.h"
#include "tools/convert/sources.h"

namespace leat::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kStateName = "leat-convert.json";
constexpr std::size_t kMaxStateBytes = std::size_t{256} << 20;

std::uint64_t checksum_of_names(const ConversionSource& source) {
  Xxh3Stream checksum;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::string name = source.describe(i) + "\n";
    checksum.update(std::as_bytes(std::span(name)));
  }
  return checksum.digest();
}

json to_json(const ShardSummary& shard) {
  return {{"file", shard.file},           {"samples", shard.samples},   {"bytes", shard.bytes},
          {"raw_bytes", shard.raw_bytes}, {"checksum", shard.checksum}, {"max_lengths", shard.max_lengths}};
}

ShardSummary shard_from(const json& object) {
  return {
      object.at("file").get<std::string>(),       object.at("samples").get<std::size_t>(),
      object.at("bytes").get<std::uint64_t>(),    object.at("raw_bytes").get<std::uint64_t>(),
      object.at("checksum").get<std::uint64_t>(), object.at("max_lengths").get<std::vector<std::size_t>>()};
}

ResumeState parse(std::string_view text) {
  const json object = json::parse(text);
  ResumeState state{object.at("job").get<std::string>(), {}, object.at("next").get<std::size_t>(), {}};
  for (const json& shard : object.at("shards")) state.shards.push_back(shard_from(shard));
  for (const json& bad : object.at("skipped")) {
    state.skipped.push_back({bad.at("index").get<std::size_t>(), bad.at("source").get<std::string>(),
                             bad.at("reason").get<std::string>()});
  }
  return state;
}

ResumeState read_state(const fs::path& path) {
  std::vector<std::byte> bytes;
  read_file(path, kMaxStateBytes, bytes);
  try {
    return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const json::exception& error) {
    throw UsageError(
        fmt::format("{} is damaged ({}): remove the folder and start again", path.string(), error.what()));
  }
}

}  // namespace

std::string describe_job(const ConversionSource& source, const ConvertOptions& options) {
  json job{{"source", fs::absolute(find_source(options.source).path).string()},
           {"part", static_cast<int>(options.part)},
           {"samples", source.size()},
           {"names", checksum_of_names(source)},
           {"to", static_cast<int>(options.to)},
           {"resize", {static_cast<int>(options.resize.kind), options.resize.size}},
           {"quality", options.quality.value_or(0)},
           {"raw", options.raw},
           {"zstd", {static_cast<int>(options.zstd), options.zstd_level}},
           {"shard_bytes", options.shard_bytes},
           {"skip_errors", options.skip_errors}};
  write_schema(source.schema(), job);
  return to_text(job);
}

void save_state(const fs::path& folder, const ResumeState& state) {
  json shards = json::array(), skipped = json::array();
  for (const ShardSummary& shard : state.shards) shards.push_back(to_json(shard));
  for (const BadSample& bad : state.skipped) {
    skipped.push_back({{"index", bad.index}, {"source", bad.source}, {"reason", bad.reason}});
  }
  const json object{{"job", state.job}, {"shards", shards}, {"next", state.next}, {"skipped", skipped}};
  // Names and messages may hold any bytes: here they are for reading by people only.
  write_durably(folder / kStateName, object.dump(-1, ' ', false, json::error_handler_t::replace));
}

ResumeState load_state(const fs::path& folder, const std::string& job) {
  const fs::path path = folder / kStateName;
  if (!fs::exists(path)) {
    throw UsageError(
        fmt::format("{} is no unfinished conversion: it holds no {}", folder.string(), kStateName));
  }
  ResumeState state = read_state(path);
  if (state.job != job) {
    throw UsageError(
        fmt::format("{} was begun from another source or with other options: remove it and start again",
                    folder.string()));
  }
  for (const ShardSummary& shard : state.shards) {
    std::error_code error;
    if (fs::file_size(folder / shard.file, error) == shard.bytes && !error) continue;
    throw UsageError(
        fmt::format("{} is not the {} bytes that were written: remove the folder and start again",
                    (folder / shard.file).string(), shard.bytes));
  }
  return state;
}

void remove_state(const fs::path& folder) {
  fs::remove(folder / kStateName);
}

}  // namespace leat::tools
