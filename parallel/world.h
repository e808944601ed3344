// Who this process is among the ranks of a job, as launchers say in the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace leat {

// The variables are those of torchrun.
struct WorldSettings {
  int rank = 0;                              // RANK
  int world_size = 1;                        // WORLD_SIZE: number of ranks
  int local_rank = 0;                        // LOCAL_RANK: among the ranks of this host
  std::string master_address = "127.0.0.1";  // MASTER_ADDR: the host of rank 0
  std::uint16_t master_port = 29500;         // MASTER_PORT: where rank 0 listens
};

// The most ranks that WORLD_SIZE may ask for.
inline constexpr int kMaxWorldSize = 65536;

// Throws ArgumentError where a field is out of range or they contradict each other.
void check(const WorldSettings& settings);

/// Reads the world from the environment. nullopt where neither RANK nor WORLD_SIZE is set. Otherwise RANK, WORLD_SIZE,
/// MASTER_ADDR and MASTER_PORT must all be set, and LOCAL_RANK may be (without it, it is RANK, as on a single host).
///
/// Throws ArgumentError naming the variable, its value and its range. Also throws if neither is set, but mpirun or srun
/// says that it started several processes (each would train alone), and if torchrun's agent listens at MASTER_PORT itself,
/// as it does by default; the message tells what to export.
std::optional<WorldSettings> world_from_environment();

}  // namespace leat
