// The state of an unfinished conversion: a file beside its shards that exists until the conversion is finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "leat/datasets/formats/shard_writer.h"
#include "tools/convert/options.h"
#include "tools/convert/sources.h"

namespace leat::tools {

using namespace detail;

struct BadSample {
  std::size_t index = 0;  // in the source
  std::string source;
  std::string reason;
};

struct ResumeState {
  std::string job;                   // description of the job; another job cannot resume it
  std::vector<ShardSummary> shards;  // complete ones
  std::size_t next = 0;              // the source's first sample that is in none of them
  std::vector<BadSample> skipped;    // before `next`
  bool verify = false;               // a run so far was asked to verify, so the last run does
};

inline constexpr const char* kStateName = "leat-convert.json";

// Returns the source, its fingerprint, and all options that the output depends on, as text. The policy for bad
// samples is not included, because the output before a bad sample does not depend on it.
std::string describe_job(const RecordConversion& source, const SourceLocation& location,
                         const ConvertOptions& options);

// Replaces the file atomically.
void save_state(const std::filesystem::path& folder, const ResumeState& state);

bool has_state(const std::filesystem::path& folder);

// Returns whether the folder is empty, or holds only what a process leaves if it is killed while it writes the first
// state.
bool holds_no_work(const std::filesystem::path& folder);
bool is_temporary_state(const std::filesystem::path& file);

// Reads and checks all shards. Throws UsageError if there is no state, if it belongs to another job (the message says
// what differs), or if a shard does not have the size and the checksum that the state gives.
ResumeState load_state(const std::filesystem::path& folder, const std::string& job);

void remove_state(const std::filesystem::path& folder);

}  // namespace leat::tools
