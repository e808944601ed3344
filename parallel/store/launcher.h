// Launchers whose variables leat does not take its world from.
#pragma once

namespace leat::detail {

/// Throws ArgumentError if mpirun or srun started this process as one of several tasks: without RANK and WORLD_SIZE
/// each of them would train alone. To be called where neither is set. A launcher's single task is fine, and so is a
/// batch script of Slurm, which describes the job and is no task of it.
void refuse_unread_launchers();

/// Throws ArgumentError if torchrun's agent listens at MASTER_PORT itself, where the store of rank 0 is to listen.
void refuse_agent_store();

}  // namespace leat::detail
