// Ring buffer of the last rows of an image that is produced row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::detail {

// Row r is kept until row r + rows() is written. Keeps its memory, up to 32 MiB.
class RowRing {
 public:
  // Sets the number and the size of rows. Their contents are unspecified afterwards. Throws ArgumentError if the
  // total size exceeds 64 bits.
  void resize(int rows, std::size_t row_bytes);

  int rows() const noexcept { return rows_; }
  std::uint8_t* row(int r) noexcept { return bytes_.data() + static_cast<std::size_t>(r % rows_) * stride_; }

 private:
  int rows_ = 1;
  std::size_t stride_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace leat::detail
