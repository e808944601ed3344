#include "tools/train/math.h"

namespace leat::tools {

std::unique_ptr<Math> make_cuda_math(Device&) {
  throw DeviceError("leat-train was built without CUDA: configure with -D LEAT_CUDA=ON, or use --device cpu");
}

}  // namespace leat::tools
