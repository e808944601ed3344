/// \file
/// The ranks of a job, connected: the one object that a program makes to train with others.
#pragma once

#include <chrono>
#include <memory>
#include <span>

#include "leat/datasets/export.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/tcp_store.h"
#include "leat/parallel/world_settings.h"
#include "leat/transfer/device.h"

namespace leat {

/// Connects this process to the other ranks of its job, however they were started: by leat-run, torchrun, mpirun, srun,
/// or alone.
///
///     leat::World world;                             // 1 rank if nothing started several
///     auto communicator = world.make_communicator();
///     leat::torch::DistributedDataParallel ddp{*communicator, *net};
///
/// Communicators may outlive it. One thread at a time uses an object.
class LEAT_EXPORT World {
 public:
  /// Connects the ranks that world_from_environment() tells of. All ranks wait for each other, at most `timeout`.
  /// Throws what world_from_environment() and TcpStore() throw.
  explicit World(const WorldOverrides& overrides = {},
                 std::chrono::milliseconds timeout = std::chrono::seconds(60));
  /// Connects the ranks of these settings.
  explicit World(const WorldSettings& settings, std::chrono::milliseconds timeout = std::chrono::seconds(60));

  int rank() const noexcept { return settings_.rank; }                  ///< this process, from 0
  int size() const noexcept { return settings_.world_size; }            ///< number of ranks
  const WorldSettings& settings() const noexcept { return settings_; }  ///< who the ranks are, and where
  /// Returns the store that the ranks share; null if there is one rank only.
  const std::shared_ptr<TcpStore>& store() const noexcept { return store_; }

  /// Returns the GPU of this rank (see gpu_of_rank()), or the CPU if CUDA shows no GPU.
  Device& device() const;

  /// Throws ArgumentError, on all ranks, if the settings differ between the ranks; see TcpStore::compare_settings().
  /// All ranks call it.
  void compare_settings(std::span<const JobSetting> settings) const;

  /// Makes a communicator over all ranks. For GPUs, it is NCCL's. For CPUs, it uses shared memory if all ranks find
  /// each other on one host, and Gloo otherwise; alone, it needs neither. All ranks call it, and if they make several
  /// communicators, all make them in the same order. `timeout` limits each collective, except NCCL's. Throws what the
  /// functions that make these communicators throw.
  std::unique_ptr<Communicator> make_communicator(
      Device& device = host_device(), std::chrono::milliseconds timeout = std::chrono::minutes(10)) const;

 private:
  WorldSettings settings_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<TcpStore> store_;
};

}  // namespace leat
