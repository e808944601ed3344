#include "leat/version.h"

namespace leat {

// CMakeLists.txt defines LEAT_HAS_CUDA, LEAT_HAS_NCCL and LEAT_HAS_GLOO.
Version version() noexcept {
  return {LEAT_VERSION_MAJOR, LEAT_VERSION_MINOR, LEAT_VERSION_PATCH, LEAT_VERSION,
          LEAT_HAS_CUDA,      LEAT_HAS_NCCL,      LEAT_HAS_GLOO};
}

}  // namespace leat
