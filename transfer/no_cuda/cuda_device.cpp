// The CUDA backend of a build without CUDA. It only reports that CUDA is missing.
#include <fmt/format.h>

#include "leat/transfer/device.h"
#include "leat/transfer/host/gpu_memory.h"

namespace leat {

Device& cuda_device(int ordinal) {
  throw DeviceError(fmt::format(
      "cuda:{}: leat was built without CUDA; configure with -DLEAT_CUDA=ON, or use host_device()", ordinal));
}

int cuda_device_count() noexcept {
  return 0;
}

std::string cuda_unavailable_reason() {
  return "built without CUDA";
}

std::string detail::gpu_of(const void*) {
  return {};
}

}  // namespace leat
