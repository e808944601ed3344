/// \file
/// The ranks of a job, connected: the one object that a program makes to train with others.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

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
  /// communicators, all make them in the same order. `timeout` limits each collective. Throws what the
  /// functions that make these communicators throw.
  std::unique_ptr<Communicator> make_communicator(
      Device& device = host_device(), std::chrono::milliseconds timeout = std::chrono::minutes(10)) const;

  /// Makes a communicator among some of the ranks, chosen as by make_communicator(). Its ranks are numbered in the
  /// order of `ranks`. Only these ranks call it, all with the same list in the same order; ranks of other groups need
  /// not wait, so disjoint groups can be made at the same time:
  ///
  ///     auto half = world.rank() < 4 ? world.group({0, 1, 2, 3}) : world.group({4, 5, 6, 7});
  ///
  /// Groups may overlap, if each rank makes its groups in an order that lets all of them come: of two groups with two
  /// ranks in common, both ranks make the same one first. Each call makes a communicator of its own, which nothing
  /// connects with others of the same ranks. A rank that ends communicators ends those that contain it, and no others.
  /// If several communicators over GPUs have ranks in common, all ranks enqueue on them in the same order, as NCCL
  /// demands.
  ///
  /// Throws ArgumentError if `ranks` is empty, names a rank twice, or one that the world does not have, or not this
  /// one. Disagreement if two ranks wait for each other with different lists, and PeerSilent if a rank does not come in
  /// time; both name ranks of the world. Everything that is thrown later names ranks of the group.
  std::unique_ptr<Communicator> group(const std::vector<int>& ranks, Device& device = host_device(),
                                      std::chrono::milliseconds timeout = std::chrono::minutes(10)) const;

 private:
  std::unique_ptr<Communicator> join(const std::shared_ptr<TcpStore>& store, Device& device,
                                     std::chrono::milliseconds timeout) const;

  WorldSettings settings_;
  std::chrono::milliseconds timeout_;
  std::shared_ptr<TcpStore> store_;
};

}  // namespace leat
