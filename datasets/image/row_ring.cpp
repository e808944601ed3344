#include "datasets/image/row_ring.h"

#include "loader/base/checked.h"

namespace leat {

namespace {

constexpr std::size_t kMuch = std::size_t{32} << 20;
constexpr std::size_t kCacheLine = 64;

}  // namespace

void RowRing::resize(int rows, std::size_t row_bytes) {
  const std::size_t stride = align_up(row_bytes, kCacheLine);
  const std::size_t bytes = checked_multiply(stride, static_cast<std::size_t>(rows));
  if (bytes_.capacity() > kMuch && bytes < bytes_.capacity() / 4) bytes_ = {};
  if (bytes > bytes_.size()) bytes_.resize(bytes);
  rows_ = rows;
  stride_ = stride;
}

}  // namespace leat
