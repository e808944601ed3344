/// \file
/// The rank of this process in its job, as launchers state it in the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "leat/datasets/export.h"

namespace leat {

/// A process's place among the ranks of a job, and how the ranks find each other.
struct LEAT_EXPORT WorldSettings {
  int rank = 0;                              ///< this process, from 0
  int world_size = 1;                        ///< number of ranks
  int local_rank = 0;                        ///< this process among the ranks of its host, from 0
  std::string master_address = "127.0.0.1";  ///< the host of rank 0
  std::uint16_t master_port = 29500;         ///< the port at which rank 0 listens
  /// Rank 0 listens at the first free one of this many ports from `master_port` on, and the other ranks look for it
  /// there. The ranks of other jobs, and other programs, may use the rest of these ports.
  int master_ports = 1;
  int local_world_size = 0;  ///< number of ranks of this host; 0 if it is not known
  /// What started the process: "leat-run", "torchrun", "env" (RANK and WORLD_SIZE alone), "openmpi", "mvapich2",
  /// "hydra", "srun", "pmi"; empty if nothing did.
  std::string launcher{};
  /// A key that only the ranks of the job know: 16 to 1024 characters. The store lets nobody in without it. If it is
  /// empty, the store serves nothing but loopback addresses.
  std::string secret{};
  std::string run_id{};  ///< the job, among others on the same hosts: at most 256 characters
  int restart = 0;       ///< how often the job was started again
};

/// The greatest world size.
inline constexpr int kMaxWorldSize = 65536;

/// Throws ArgumentError if a field is out of range, or if fields contradict each other.
LEAT_EXPORT void check(const WorldSettings& settings);

/// Settings that take precedence over the environment. Those that are not set are read from the environment.
struct LEAT_EXPORT WorldOverrides {
  /// The launcher whose variables are read, as in WorldSettings::launcher; "none" for a process that trains alone.
  /// Precedes the variable LEAT_LAUNCHER.
  std::optional<std::string> launcher{};
  std::optional<int> rank{};        ///< together with `world_size`: no launcher's variables are read
  std::optional<int> world_size{};  ///< together with `rank`
  std::optional<int> local_rank{};  ///< requires `rank`; without it, `rank`
  std::optional<std::string> master_address{};  ///< precedes LEAT_MASTER_ADDR
  std::optional<std::uint16_t> master_port{};   ///< precedes LEAT_MASTER_PORT
};

/// Finds out which rank of which job this process is: from `overrides`, otherwise from the variables that leat-run,
/// torchrun, Open MPI, MVAPICH2, MPICH (Hydra), srun or another launcher that speaks PMI sets. Returns nullopt if none
/// of them started it, or if it is the only task of mpirun or srun. docs/tools.md lists the variables.
///
/// RANK and WORLD_SIZE need MASTER_ADDR and MASTER_PORT, too. Under torchrun, whose agent listens at MASTER_PORT
/// itself, rank 0 listens at one of the 16 ports after it. Under srun, rank 0 listens on the first host of the step.
/// MPI's launchers tell no host, unless all ranks are on one. The port is computed from the job's id. LEAT_MASTER_ADDR
/// and LEAT_MASTER_PORT state address and port for any launcher. LEAT_JOB_SECRET is the job's secret.
///
/// Throws ArgumentError naming the variables and their values if a value is malformed or out of range, if a launcher's
/// variables are not complete, if those of two launchers contradict each other, or if the address or port of rank 0
/// must be stated.
LEAT_EXPORT std::optional<WorldSettings> world_from_environment(const WorldOverrides& overrides = {});

/// Returns the ordinal of the GPU that this rank uses, of `visible_gpus` that CUDA shows to this process: the only one
/// if the launcher shows one to each rank, otherwise the one with the number of the local rank. Throws ArgumentError if
/// there is none.
LEAT_EXPORT int gpu_of_rank(const WorldSettings& world, int visible_gpus);

/// Returns a line for a log: "rank 0 of 4 on host node7, device cuda:0, started by srun". Also says if the job has no
/// secret.
LEAT_EXPORT std::string describe(const WorldSettings& world, std::string_view device);

}  // namespace leat
