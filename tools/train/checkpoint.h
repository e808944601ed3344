// The state of a training run in a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "leat/loader/loader_state.h"
#include "leat/parallel/tcp_store.h"
#include "tools/train/report.h"
#include "tools/train/trainer.h"

namespace leat::tools {

// All that a run needs to go on as if it had not been interrupted, on any number of ranks.
struct Checkpoint {
  std::vector<JobSetting> settings;  // which the result depends on
  std::vector<EpochReport> epochs;   // that have ended
  EpochProgress progress;            // of the epoch after them
  LoaderState loader;                // where that epoch goes on, if progress.steps > 0
  ModelState model;
};

// A file holds, in little-endian byte order: "leatckpt", version u32 = 1, header_size u32, a header in JSON with all
// that has no place below, zeros up to a multiple of 64 bytes, the values and then the velocities of all parameters as
// f32, and the XXH3 checksum of everything before it, u64.
//
// Replaces the file at once: a process that is killed leaves the one before. Throws SystemError.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

struct StoredCheckpoint {
  Checkpoint checkpoint;
  std::string checksum;  // in hexadecimal digits; tells whether two ranks have read the same file
};

// Returns nullopt if the file does not exist. Throws DataError if it is damaged, cut off or something else, SystemError
// if it cannot be read.
std::optional<StoredCheckpoint> read_checkpoint(const std::filesystem::path& file);

// Throws UsageError that names each setting in which the run differs from the one that wrote the checkpoint.
void check_same_run(const std::filesystem::path& file, const Checkpoint& checkpoint,
                    const std::vector<JobSetting>& settings);

}  // namespace leat::tools
