// What workers are doing, in words, for somebody who waits for them in vain.
#pragma once

#include <cstddef>
#include <string>

#include "leat/loader/slots/slot_table.h"

namespace leat::detail {

/// "worker 0 (process 123) has been at sample 17 for 30.2 s, and sleeps in futex_wait". Looks at shared memory and at
/// /proc, and disturbs nobody.
std::string describe_worker(const SlotTable& table, std::size_t worker);

/// "sleeps in futex_wait", "runs", "is stopped": the state of a process, and what it waits for in the kernel as far as
/// that may be read. "is gone" if there is no such process.
std::string describe_process(int pid);

}  // namespace leat::detail
