#include "tests/parallel/support/groups.h"

#include "leat/parallel/local/local_group.h"

namespace leat::test {

Group local_group(int ranks, std::chrono::milliseconds timeout) {
  return Group(make_local_group(ranks, host_device(), timeout));
}

}  // namespace leat::test
