// What the system knows about the thread of a prefetcher.
#pragma once

#include <vector>

namespace leat::test {

// Returns the CPUs that the only thread called leat-prefetch may use. Throws Error if there is no such thread, or if
// there are several.
std::vector<int> cpus_of_pump();

}  // namespace leat::test
