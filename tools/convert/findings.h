// The results of inspect and verify, and their form as text and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leat/datasets/formats/records/shard_parts.h"
#include "leat/datasets/record_schema.h"

namespace leat::tools {

using namespace detail;

// Figures that only leat records have.
struct RecordFigures {
  std::size_t shards = 0;
  std::uint64_t raw_bytes = 0;             // before compression
  std::optional<ShardHeader> header = {};  // of the first shard; empty if there is no shard
};

// The inspection of one dataset, or of one split of it.
struct Inspection {
  std::string split;   // empty if there are no splits
  std::string format;  // "leat records", "an image folder", "a source in the format mds"
  std::size_t samples = 0;
  std::uint64_t bytes = 0;  // of all shards, or of all samples
  RecordSchema schema;
  std::optional<RecordFigures> records = {};
  std::vector<std::uint64_t> sizes;            // sizes of the readable samples
  std::map<std::int64_t, std::size_t> labels;  // number of samples of each label
  std::size_t unreadable = 0;
};

struct BadRange {
  std::size_t first = 0;
  std::size_t count = 0;  // 0 and 1 both mean this sample alone
  std::string source;
  std::string reason;
};

struct Verification {
  std::string split;
  std::size_t samples = 0;
  std::vector<BadRange> bad;
  std::vector<std::string> warnings;  // sentences: images that are damaged, but complete; broken links

  std::size_t bad_samples() const;
};

std::string to_text(const Inspection& inspection);
std::string to_text(const BadRange& bad);               // one line
std::string to_text(const Verification& verification);  // the closing lines

// {"command": "inspect", "data": uri, "sets": [{
//    "split" (null without splits), "format", "samples", "bytes", "unreadable",
//    "fields": [{"name", "content", "dtype", "shape", "max_length" (null if not ragged)}], "classes",
//    "bytes_per_sample": {"min", "median", "mean", "max"} (null without samples), "labels": {"<label>": count},
//    "records": {"shards", "raw_bytes", "codec", "dictionary_bytes", "alignment"} (null for other formats;
//                the last three only if there is a shard)}]}
std::string to_json(const std::string& uri, std::span<const Inspection> inspections);

// {"command": "verify", "data": uri, "bad_samples", "sets": [{"split", "samples", "bad_samples",
//    "bad": [{"first", "count", "source", "reason"}], "warnings": [sentence]}]}
std::string to_json(const std::string& uri, std::span<const Verification> verifications);

}  // namespace leat::tools
