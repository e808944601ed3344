// The launchers whose variables leat reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "leat/parallel/world_settings.h"

namespace leat::detail {

// Read one launcher's variables. The address is empty if they do not tell the host of rank 0, the port is 0 if they do
// not identify the job.
//
// Return nullopt if the variables are not set. Throw ArgumentError if some of them are missing or malformed.
std::optional<WorldSettings> read_rank_variables();  // RANK, WORLD_SIZE: leat-run, torchrun, or set by hand
std::optional<WorldSettings> read_openmpi();
std::optional<WorldSettings> read_mvapich2();
std::optional<WorldSettings> read_hydra();
std::optional<WorldSettings> read_srun();  // only within a step of srun, not in a batch script
std::optional<WorldSettings> read_pmi();   // without those of Hydra

// Find the launcher that started this process: by its name, or by the variables that are set. Under Slurm, the proxies
// of mpirun are themselves tasks of a step of srun, so MPI's variables precede those of srun. torchrun may have been
// started once per host by another launcher, so its variables precede all others. Return nullopt if no launcher has
// started the process as one of several.
//
// Throw ArgumentError if the variables of two launchers contradict each other, or if those of the named launcher are
// not set.
std::optional<WorldSettings> read_launcher();
std::optional<WorldSettings> read_launcher(std::string_view name);

// Returns the first of the hosts in a list of Slurm: "node03" of "node[03-05,7],x1". Throws ArgumentError if the text
// is not a list.
std::string first_host(std::string_view host_list);

// Returns the first of the kJobPorts ports of a job, below the ports that the kernel gives to clients.
std::uint16_t port_of_job(std::string_view job_id);
inline constexpr int kJobPorts = 16;

}  // namespace leat::detail
