// Describes what workers are doing, for messages about a wait that takes too long.
#pragma once

#include <cstddef>
#include <string>

#include "leat/loader/slots/slot_table.h"

namespace leat::detail {

/// Describes a worker: "worker 0 (process 123) has been at sample 17 for 30.2 s, and sleeps in futex_wait". Only
/// reads shared memory and /proc, so the worker is not disturbed.
std::string describe_worker(const SlotTable& table, std::size_t worker);

/// Describes the state of a process and, if the kernel allows reading it, what it waits for in the kernel: "runs",
/// "sleeps in futex_wait", "is stopped". Returns "is gone" if there is no such process.
std::string describe_process(int pid);

}  // namespace leat::detail
