#include "leat/datasets/image/resample/row_ring.h"

#include "leat/datasets/base/checked.h"
#include "leat/datasets/image/scratch.h"

namespace leat::detail {

namespace {

constexpr std::size_t kCacheLine = 64;

}  // namespace

void RowRing::resize(int rows, std::size_t row_bytes) {
  const std::size_t stride = align_up(row_bytes, kCacheLine);
  const std::size_t bytes = checked_multiply(stride, static_cast<std::size_t>(rows));
  reserve_scratch(bytes_, bytes);
  rows_ = rows;
  stride_ = stride;
}

}  // namespace leat::detail
