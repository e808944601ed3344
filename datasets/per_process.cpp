#include "leat/datasets/per_process.h"

#include "leat/datasets/base/process_identity.h"

namespace leat::detail {

std::uint64_t process_number() {
  return ProcessIdentity().number();
}

}  // namespace leat::detail
