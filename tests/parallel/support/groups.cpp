#include "tests/parallel/support/groups.h"

#include "leat/parallel/local_group.h"

namespace leat::test {

using namespace leat::detail;

Group local_group(int ranks, std::chrono::milliseconds timeout) {
  return Group(make_local_group(ranks, host_device(), timeout));
}

}  // namespace leat::test
