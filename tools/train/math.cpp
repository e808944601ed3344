#include "tools/train/math.h"

#include <fmt/format.h>

namespace leat::tools {

void check_product(const Factor& a, const Factor& b, const Matrix& out) {
  if (a.columns() == b.rows() && a.rows() == out.rows && b.columns() == out.columns) return;
  throw ArgumentError(fmt::format("a product of [{}, {}] and [{}, {}] does not fit a result of [{}, {}]",
                                  a.rows(), a.columns(), b.rows(), b.columns(), out.rows, out.columns));
}

std::unique_ptr<Math> make_math(Device& device) {
  return device.kind() == DeviceKind::cuda ? make_cuda_math(device) : make_host_math(device);
}

}  // namespace leat::tools
