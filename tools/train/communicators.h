// The communicators of this process's replicas.
#pragma once

#include <memory>
#include <vector>

#include "leat/parallel/communicator.h"
#include "leat/parallel/tcp_store.h"
#include "leat/parallel/world_settings.h"
#include "tools/common/data_source.h"
#include "tools/train/image_feeds.h"
#include "tools/train/options.h"

namespace leat::tools {

// Returns this process's world: from the options, otherwise from the variables of a launcher; one rank without either.
// Throws UsageError if it cannot be found out.
WorldSettings find_world(const TrainOptions& options);

// Throws UsageError for what is not possible: several replicas in each of several processes, or on one GPU.
void check_ranks(const WorldSettings& world, int replicas, DeviceKind device);

// Returns the device that this rank trains on. Throws UsageError if there is none for it.
Device& device_of_rank(const WorldSettings& world, DeviceKind kind);

// Returns what the result depends on, except for rounding.
std::vector<JobSetting> run_settings(const TrainOptions& options, const ImageFeeds& feeds);

// Returns what must be the same on all ranks. `checkpoint` is the checksum of the one that the run goes on from; empty
// for none.
std::vector<JobSetting> job_settings(const TrainOptions& options, const ImageFeeds& feeds,
                                     const std::string& checkpoint);

// Makes one communicator for each of this process's `replicas`, or null if there is only one rank. Several replicas
// form a group in this process. Several processes of one replica each meet at the world's master, compare `settings`,
// and communicate by Gloo on the host and by NCCL on GPUs. `say` gets one line when they have met. Throws UsageError,
// on every rank, if the settings differ.
std::vector<std::unique_ptr<Communicator>> make_communicators(const WorldSettings& world, int replicas,
                                                              Device& device,
                                                              const std::vector<JobSetting>& settings,
                                                              const Say& say);

}  // namespace leat::tools
