#include "leat/parallel/store/launcher.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "leat/datasets/errors.h"

namespace leat::detail {
namespace {

struct Launcher {
  const char* command;
  const char* world_size;
  const char* rank;
  const char* local_rank;
};

// Under Slurm, mpirun starts its processes through a step of srun with one task per host, so these are checked before
// srun.
constexpr std::array kMpirun{
    Launcher{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
    Launcher{"mpirun", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK"}};
constexpr Launcher kHydra{"mpirun", "PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"};
constexpr Launcher kSlurmStep{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_LOCALID"};
constexpr Launcher kSlurmJob{"srun", "SLURM_NTASKS", "SLURM_PROCID", "SLURM_LOCALID"};
// Other launchers, Cray's among them, also set PMI's variables, and so does srun --mpi=pmi2. Hence these are checked
// last.
constexpr Launcher kPmi{"a launcher that speaks PMI", "PMI_SIZE", "PMI_RANK", "PMI_LOCAL_RANK"};

// Slurm gives its own steps (the batch script, the shell of salloc) numbers from here on: SLURM_MAX_NORMAL_STEP_ID in
// slurm.h.
constexpr std::uint64_t kFirstOwnStep = 0xfffffff0;

// Returns nullopt if the variable is not set, or is not a number.
std::optional<std::uint64_t> number_in(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view view = text;
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc() || stop != view.data() + view.size()) return std::nullopt;
  return value;
}

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fmt::format("no {}", name) : fmt::format("{}={}", name, text);
}

void refuse_tasks(const Launcher& launcher) {
  const auto size = number_in(launcher.world_size);
  if (!size || *size <= 1) return;
  const bool tells_local_rank = std::getenv(launcher.local_rank) != nullptr;
  throw ArgumentError(fmt::format(
      "{command} started this process as one of several ({size}, {rank}), but RANK and WORLD_SIZE are not "
      "set, so each of them would train alone. Start it by a script with: export WORLD_SIZE=${size_name} "
      "RANK=${rank_name} LOCAL_RANK={local} MASTER_ADDR=<host of rank 0> MASTER_PORT=29500. If each "
      "process is meant to train alone: export WORLD_SIZE=1 RANK=0 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500",
      fmt::arg("command", launcher.command), fmt::arg("size", variable(launcher.world_size)),
      fmt::arg("rank", variable(launcher.rank)), fmt::arg("size_name", launcher.world_size),
      fmt::arg("rank_name", launcher.rank),
      fmt::arg("local", tells_local_rank ? fmt::format("${}", launcher.local_rank) : "<rank on its host>")));
}

}  // namespace

void refuse_unread_launchers() {
  for (const Launcher& launcher : kMpirun) refuse_tasks(launcher);
  if (std::getenv(kHydra.local_rank) != nullptr) refuse_tasks(kHydra);
  const auto step = number_in("SLURM_STEP_ID");
  if (step && *step < kFirstOwnStep) {
    refuse_tasks(std::getenv(kSlurmStep.world_size) != nullptr ? kSlurmStep : kSlurmJob);
  }
  refuse_tasks(kPmi);
}

void refuse_agent_store() {
  const char* const used = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  if (used == nullptr || std::string_view(used) != "True") return;
  throw ArgumentError(fmt::format(
      "torchrun's agent listens at MASTER_PORT itself (TORCHELASTIC_USE_AGENT_STORE=True, {}), where rank 0 "
      "of this program is to listen. Give the program a port of its own: torchrun ... --no-python env "
      "TORCHELASTIC_USE_AGENT_STORE=False MASTER_PORT=<free port of rank 0's host> <program>",
      variable("MASTER_PORT")));
}

}  // namespace leat::detail
