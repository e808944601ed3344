// Checks for launchers whose environment variables leat does not read.
#pragma once

namespace leat::detail {

/// Throws ArgumentError if mpirun or srun started this process as one of several tasks: without RANK and WORLD_SIZE
/// each of them would train alone. Call it if neither is set. A launcher's single task is fine, and so is a batch
/// script of Slurm: its variables describe the job, but it is not a task of it.
void refuse_unread_launchers();

/// Throws ArgumentError if torchrun's agent itself listens at MASTER_PORT, where rank 0's store has to listen.
void refuse_agent_store();

}  // namespace leat::detail
