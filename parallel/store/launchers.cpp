#include "leat/parallel/store/launchers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "leat/datasets/errors.h"
#include "leat/parallel/store/environment.h"
#include "leat/parallel/store/process_ancestor.h"

namespace leat::detail {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::int64_t kMaxCount = std::numeric_limits<int>::max();

struct Names {
  const char* launcher;
  const char* rank;
  const char* world_size;
  const char* local_rank;
  const char* local_world_size;  // nullptr if the launcher does not tell it
};

constexpr Names kRank{"env", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Names kOpenMpi{"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                         "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr Names kMvapich2{"mvapich2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE",
                          "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"};
constexpr Names kHydra{"hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};
constexpr Names kPmi{"pmi", "PMI_RANK", "PMI_SIZE", "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"};
constexpr Names kSrun{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr};
// Slurm before 20.11 sets only the variables of the job, and sets them anew for each step.
constexpr Names kOldSrun{"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", nullptr};

// Slurm gives its own steps (the batch script, the shell of salloc) numbers from here on: SLURM_MAX_NORMAL_STEP_ID in
// slurm.h.
constexpr std::int64_t kFirstOwnStep = 0xfffffff0;

std::optional<WorldSettings> read(const Names& names) {
  if (!variable(names.rank) && !variable(names.world_size)) return std::nullopt;
  const auto size = number_of(names.world_size, 1, kMaxWorldSize);
  const auto rank = number_of(names.rank, 0, size.value_or(kMaxWorldSize) - 1);
  if (!size || !rank) {
    throw ArgumentError(fmt::format("{} is not set, but {}: both are needed",
                                    size ? names.rank : names.world_size,
                                    shown_variable(size ? names.world_size : names.rank)));
  }
  WorldSettings world;
  world.launcher = names.launcher;
  world.rank = static_cast<int>(*rank);
  world.world_size = static_cast<int>(*size);
  world.local_rank = static_cast<int>(number_of(names.local_rank, 0, *size - 1).value_or(*rank));
  if (names.local_world_size != nullptr) {
    world.local_world_size = static_cast<int>(number_of(names.local_world_size, 1, *size).value_or(0));
  }
  world.master_address.clear();
  world.master_port = 0;
  return world;
}

// All ranks are on this host.
void use_loopback_if_alone(WorldSettings& world) {
  if (world.local_world_size == world.world_size) world.master_address = kLoopback;
}

void set_job(WorldSettings& world, const std::string& job_id) {
  world.run_id = job_id;
  world.master_port = port_of_job(job_id);
  world.master_ports = kJobPorts;
}

// torchrun's agent listens at MASTER_PORT itself. Another job on the host may use the same ports, if its agent's port
// is close to this one, and the same run id, but not the same port of the agent.
void avoid_port_of_agent(WorldSettings& world) {
  if (variable("TORCHELASTIC_USE_AGENT_STORE") != "True") return;
  world.run_id += fmt::format("@{}", world.master_port);
  const int after = world.master_port + 1;
  world.master_port =
      static_cast<std::uint16_t>(after + kJobPorts <= 65536 ? after : world.master_port - kJobPorts);
  world.master_ports = kJobPorts;
}

void read_torchrun(WorldSettings& world) {
  world.launcher = "torchrun";
  world.run_id = variable("TORCHELASTIC_RUN_ID").value_or("");
  const auto restarts = number_of("TORCHELASTIC_RESTART_COUNT", 0, kMaxCount);
  const auto hosts = number_of("GROUP_WORLD_SIZE", 1, kMaxCount);
  // Each agent counts its own restarts, so the counts of several hosts may differ. The port differs in each attempt.
  world.restart = hosts.value_or(1) == 1 ? static_cast<int>(restarts.value_or(0)) : 0;
  avoid_port_of_agent(world);
  use_loopback_if_alone(world);
}

void read_leat_run(WorldSettings& world) {
  world.launcher = "leat-run";
  world.run_id = variable("LEAT_RUN_ID").value_or("");
  world.restart = static_cast<int>(number_of("LEAT_RESTART_COUNT", 0, kMaxCount).value_or(0));
}

bool differ(const WorldSettings& a, const WorldSettings& b) {
  return a.rank != b.rank || a.world_size != b.world_size;
}

const Names& names_of(std::string_view launcher) {
  constexpr std::array kAll{&kRank, &kOpenMpi, &kMvapich2, &kHydra, &kPmi, &kSrun};
  const auto found =
      std::ranges::find_if(kAll, [=](const Names* names) { return names->launcher == launcher; });
  return found == kAll.end() ? kRank : **found;
}

void refuse_contradiction(const std::optional<WorldSettings>& a, const std::optional<WorldSettings>& b) {
  if (!a || !b || !differ(*a, *b)) return;
  const auto shown = [](const WorldSettings& world) {
    const Names& names = names_of(world.launcher);
    return shown_variables({names.rank, names.world_size});
  };
  throw ArgumentError(
      fmt::format("the variables of two launchers contradict each other: {}, but {}. Set LEAT_LAUNCHER={} or "
                  "LEAT_LAUNCHER={} to "
                  "say which of them started this process, or LEAT_LAUNCHER=none if it is to train alone",
                  shown(*a), shown(*b), a->launcher, b->launcher));
}

struct Reader {
  std::string_view launcher;
  std::optional<WorldSettings> (*read)();
};

constexpr std::array kReaders{Reader{"leat-run", read_rank_variables},
                              Reader{"torchrun", read_rank_variables},
                              Reader{"env", read_rank_variables},
                              Reader{"openmpi", read_openmpi},
                              Reader{"mvapich2", read_mvapich2},
                              Reader{"hydra", read_hydra},
                              Reader{"srun", read_srun},
                              Reader{"pmi", read_pmi}};

std::string launcher_names() {
  std::string text;
  for (const Reader& reader : kReaders)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", reader.launcher);
  return text;
}

std::optional<WorldSettings> more_than_one(std::optional<WorldSettings> world) {
  return world && world->world_size > 1 ? std::move(world) : std::nullopt;
}

}  // namespace

std::optional<WorldSettings> read_rank_variables() {
  auto world = read(kRank);
  if (!world) return std::nullopt;
  const auto port = number_of("MASTER_PORT", 1, 65535);
  const auto address = variable("MASTER_ADDR");
  const bool port_known = port || variable("LEAT_MASTER_PORT");
  if (!port_known || !(address || variable("LEAT_MASTER_ADDR"))) {
    throw ArgumentError(
        fmt::format("{} is not set; RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are needed together",
                    port_known ? "MASTER_ADDR" : "MASTER_PORT"));
  }
  world->master_address = address.value_or("");
  world->master_port = static_cast<std::uint16_t>(port.value_or(0));
  if (variable("TORCHELASTIC_RUN_ID")) {  // leat-run does not pass it on
    read_torchrun(*world);
  } else if (variable("LEAT_RUN_ID")) {
    read_leat_run(*world);
  }
  return world;
}

std::optional<WorldSettings> read_openmpi() {
  auto world = read(kOpenMpi);
  if (!world) return std::nullopt;
  use_loopback_if_alone(*world);
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}) {
    const auto job = variable(name);
    if (!job || world->master_port != 0) continue;
    set_job(*world, "openmpi " + *job);
  }
  return world;
}

std::optional<WorldSettings> read_mvapich2() {
  auto world = read(kMvapich2);
  if (!world) return std::nullopt;
  use_loopback_if_alone(*world);
  if (const auto job = variable("MPIRUN_ID")) set_job(*world, "mvapich2 " + *job);
  return world;
}

std::optional<WorldSettings> read_hydra() {
  if (!variable(kHydra.local_rank)) return std::nullopt;
  auto world = read(kHydra);
  if (!world) return std::nullopt;
  use_loopback_if_alone(*world);
  // No variable identifies the job, but on one host all ranks descend from one process of Hydra.
  if (world->local_world_size == world->world_size) {
    if (const auto proxy = ancestor_named("hydra_pmi_proxy")) set_job(*world, "hydra " + *proxy);
  }
  return world;
}

std::optional<WorldSettings> read_srun() {
  const auto step = number_of("SLURM_STEP_ID", 0, 0xffffffff);
  if (!step || *step >= kFirstOwnStep) return std::nullopt;
  auto world = read(variable(kSrun.world_size) ? kSrun : kOldSrun);
  if (!world) return std::nullopt;
  if (number_of("SLURM_STEP_NUM_NODES", 1, kMaxCount) == 1) world->local_world_size = world->world_size;
  use_loopback_if_alone(*world);
  if (world->master_address.empty()) {
    for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_NODELIST"}) {
      const auto hosts = variable(name);
      if (hosts && world->master_address.empty()) world->master_address = first_host(*hosts);
    }
  }
  if (const auto job = variable("SLURM_JOB_ID")) set_job(*world, fmt::format("slurm {}.{}", *job, *step));
  world->restart = static_cast<int>(number_of("SLURM_RESTART_COUNT", 0, kMaxCount).value_or(0));
  return world;
}

std::optional<WorldSettings> read_pmi() {
  if (variable(kHydra.local_rank)) return std::nullopt;
  auto world = read(kPmi);
  if (world) use_loopback_if_alone(*world);
  return world;
}

std::optional<WorldSettings> read_launcher() {
  auto by_rank = read_rank_variables();
  if (by_rank && by_rank->launcher == "torchrun") return by_rank;
  const auto openmpi = read_openmpi(), mvapich2 = read_mvapich2(), hydra = read_hydra(), srun = read_srun(),
             pmi = read_pmi();
  refuse_contradiction(openmpi, mvapich2);
  refuse_contradiction(openmpi, hydra);
  if (!openmpi && !mvapich2) refuse_contradiction(srun, pmi);
  const auto* by_mpi = openmpi ? &openmpi : mvapich2 ? &mvapich2 : hydra ? &hydra : srun ? &srun : &pmi;
  const auto other = more_than_one(*by_mpi);  // one task may be a shell that starts the ranks
  refuse_contradiction(by_rank, other);
  return by_rank ? by_rank : other;
}

std::optional<WorldSettings> read_launcher(std::string_view name) {
  if (name == "none") return std::nullopt;
  const auto* reader = std::ranges::find(kReaders, name, &Reader::launcher);
  if (reader == kReaders.end()) {
    throw ArgumentError(fmt::format("LEAT_LAUNCHER: \"{}\" is none of {}, none", name, launcher_names()));
  }
  auto world = reader->read();
  if (!world) {
    throw ArgumentError(fmt::format("LEAT_LAUNCHER says {}, but its variables are not set: {}", name,
                                    shown_variables({names_of(name).rank, names_of(name).world_size})));
  }
  return world;
}

}  // namespace leat::detail
