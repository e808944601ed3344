/// \file
/// The rank of this process in its job, as launchers state it in the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "leat/datasets/export.h"

namespace leat {

/// A process's place among the ranks of a job. The environment variables are those of torchrun.
struct LEAT_EXPORT WorldSettings {
  int rank = 0;                              ///< RANK: this process, from 0
  int world_size = 1;                        ///< WORLD_SIZE: number of ranks
  int local_rank = 0;                        ///< LOCAL_RANK: this process among the ranks of its host, from 0
  std::string master_address = "127.0.0.1";  ///< MASTER_ADDR: the host of rank 0
  std::uint16_t master_port = 29500;         ///< MASTER_PORT: the port at which rank 0 listens
};

/// The greatest world size.
inline constexpr int kMaxWorldSize = 65536;

/// Throws ArgumentError if a field is out of range, or if fields contradict each other.
LEAT_EXPORT void check(const WorldSettings& settings);

/// Reads the world from the environment. Returns nullopt if neither RANK nor WORLD_SIZE is set. Otherwise RANK,
/// WORLD_SIZE, MASTER_ADDR and MASTER_PORT must all be set; LOCAL_RANK is RANK if it is not set, as on a single host.
///
/// Throws ArgumentError naming the variable, its value and its range. Also throws if neither is set although mpirun
/// or srun started several processes, because each would train alone; and if torchrun's agent itself listens at
/// MASTER_PORT, as it does by default. The message tells what to export.
LEAT_EXPORT std::optional<WorldSettings> world_from_environment();

}  // namespace leat
