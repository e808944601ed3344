#include "tools/convert/resume_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "leat/datasets/formats/records/schema_json.h"
#include "leat/datasets/io/json_fields.h"
#include "leat/datasets/io/read_file.h"
#include "leat/datasets/io/xxh3.h"
#include "tools/common/command_line.h"
#include "tools/convert/progress.h"

namespace leat::tools {

using namespace detail;
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMaxStateBytes = std::size_t{256} << 20;

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
  state.verify = object.value("verify", false);
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

// Returns what differs between two jobs, in the user's terms.
std::string difference(const std::string& before, const std::string& now) {
  constexpr std::array<std::pair<const char*, const char*>, 13> kNames{
      {{"source", "SRC"},
       {"part", "--split"},
       {"samples", "the number of samples in SRC"},
       {"contents", "the names, sizes or times of files in SRC"},
       {"fields", "the fields of SRC"},
       {"to", "--to"},
       {"resize", "--resize"},
       {"image_field", "--image-field"},
       {"quality", "--quality"},
       {"raw", "--raw"},
       {"allow_corrupt", "--allow-corrupt"},
       {"zstd", "--zstd"},
       {"shard_bytes", "--shard-size"}}};
  const json a = json::parse(before, nullptr, false), b = json::parse(now, nullptr, false);
  std::string names;
  for (const auto& [key, name] : kNames) {
    if (a.is_object() && b.is_object() && a.value(key, json()) != b.value(key, json()))
      names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names.empty() ? "an option" : names;
}

// Checks sizes before checksums, because sizes cost nothing.
void require_unchanged(const fs::path& folder, const std::vector<ShardSummary>& shards) {
  std::size_t samples = 0;
  for (const ShardSummary& shard : shards) {
    samples += shard.samples;
    std::error_code error;
    if (fs::file_size(folder / shard.file, error) == shard.bytes && !error) continue;
    throw UsageError(
        fmt::format("{} is not the {} bytes that were written: remove the folder and start again",
                    (folder / shard.file).string(), shard.bytes));
  }
  if (shards.empty()) return;
  Progress progress("checking what is there", samples);
  std::size_t checked = 0;
  std::uint64_t bytes = 0;
  for (const ShardSummary& shard : shards) {
    if (checksum_of_file(folder / shard.file) != shard.checksum) {
      throw UsageError(
          fmt::format("the content of {} is not what was written: remove the folder and start again",
                      (folder / shard.file).string()));
    }
    progress.update(checked += shard.samples, bytes += shard.bytes);
  }
}

}  // namespace

std::string describe_job(const RecordConversion& source, const SourceLocation& location,
                         const ConvertOptions& options) {
  json job{{"source", fs::absolute(location.where).string()},
           {"part", location.split == "test" ? 1 : 0},
           {"samples", source.size()},
           {"contents", source.fingerprint()},
           {"to", static_cast<int>(options.to)},
           {"resize", {static_cast<int>(options.resize.kind), options.resize.size}},
           {"image_field", options.image_field},
           {"quality", options.quality.value_or(0)},
           {"raw", options.raw},
           {"allow_corrupt", options.allow_corrupt},
           {"zstd", {static_cast<int>(options.zstd), options.zstd_level}},
           {"shard_bytes", options.shard_bytes}};
  write_schema(source.schema(), job);
  return to_text(job);
}

void save_state(const fs::path& folder, const ResumeState& state) {
  json shards = json::array(), skipped = json::array();
  for (const ShardSummary& shard : state.shards) shards.push_back(to_json(shard));
  for (const BadSample& bad : state.skipped) {
    skipped.push_back({{"index", bad.index}, {"source", bad.source}, {"reason", bad.reason}});
  }
  const json object{{"job", state.job},
                    {"shards", shards},
                    {"next", state.next},
                    {"skipped", skipped},
                    {"verify", state.verify}};
  // Names and messages may hold arbitrary bytes, which can be replaced because these texts are only for people to
  // read.
  write_durably(folder / kStateName, object.dump(-1, ' ', false, json::error_handler_t::replace));
}

bool has_state(const fs::path& folder) {
  return fs::exists(folder / kStateName);
}

bool is_temporary_state(const fs::path& file) {
  return file.filename() == std::string(kStateName) + ".tmp";
}

bool holds_no_work(const fs::path& folder) {
  return std::ranges::all_of(fs::directory_iterator(folder), is_temporary_state,
                             [](const fs::directory_entry& entry) { return entry.path(); });
}

ResumeState load_state(const fs::path& folder, const std::string& job) {
  const fs::path path = folder / kStateName;
  if (!has_state(folder)) {
    throw UsageError(
        fmt::format("{} is no unfinished conversion: it holds no {}", folder.string(), kStateName));
  }
  ResumeState state = read_state(path);
  if (state.job != job) {
    throw UsageError(fmt::format(
        "{} was begun from another source or with other options ({} differs): remove it and start again",
        folder.string(), difference(state.job, job)));
  }
  require_unchanged(folder, state.shards);
  return state;
}

void remove_state(const fs::path& folder) {
  fs::remove(folder / kStateName);
}

}  // namespace leat::tools
