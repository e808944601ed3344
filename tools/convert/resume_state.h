// How far a conversion got: a file beside its shards, as long as it is not finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/shards/shard_format.h"
#include "tools/convert/options.h"

namespace leat::tools {

struct BadSample {
  std::size_t index = 0;  // in the source
  std::string source;
  std::string reason;
};

struct ResumeState {
  std::string job;                   // what was to be done; another job cannot go on with it
  std::vector<ShardSummary> shards;  // whole ones
  std::size_t next = 0;              // the first sample of the source that is in none of them
  std::vector<BadSample> skipped;    // before `next`
};

// Source, its samples' names, and all options that the output depends on, as text.
std::string describe_job(const ConversionSource& source, const ConvertOptions& options);

// Replaces the file in one step.
void save_state(const std::filesystem::path& folder, const ResumeState& state);

// Throws UsageError where there is no state, it belongs to another job, or a shard is not as it says.
ResumeState load_state(const std::filesystem::path& folder, const std::string& job);

void remove_state(const std::filesystem::path& folder);

}  // namespace leat::tools
