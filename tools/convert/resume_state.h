// How far a conversion got: a file beside its shards, as long as it is not finished.
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
  std::string job;                   // what was to be done; another job cannot go on with it
  std::vector<ShardSummary> shards;  // whole ones
  std::size_t next = 0;              // the first sample of the source that is in none of them
  std::vector<BadSample> skipped;    // before `next`
  bool verify = false;               // a run so far was asked to verify, so the one that ends it does
};

inline constexpr const char* kStateName = "leat-convert.json";

// Source, its fingerprint, and all options that the output depends on, as text. What to do at a bad sample is not among
// them: the output up to it is the same.
std::string describe_job(const RecordConversion& source, const SourceLocation& location,
                         const ConvertOptions& options);

// Replaces the file in one step.
void save_state(const std::filesystem::path& folder, const ResumeState& state);

bool has_state(const std::filesystem::path& folder);

// Whether the folder is empty, or as a process leaves it that was killed when it wrote the first state.
bool holds_no_work(const std::filesystem::path& folder);
bool is_temporary_state(const std::filesystem::path& file);

// Reads all shards. Throws UsageError where there is no state, it belongs to another job (the text says what differs),
// or a shard has not the size and the checksum that it says.
ResumeState load_state(const std::filesystem::path& folder, const std::string& job);

void remove_state(const std::filesystem::path& folder);

}  // namespace leat::tools
