// The last few rows of something that is made row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::detail {

// Row r stays until row r + rows() is written. Keeps its memory, up to 32 MiB of it.
class RowRing {
 public:
  // What the rows hold is unspecified afterwards. Throws ArgumentError on a size beyond 64 bits.
  void resize(int rows, std::size_t row_bytes);

  int rows() const noexcept { return rows_; }
  std::uint8_t* row(int r) noexcept { return bytes_.data() + static_cast<std::size_t>(r % rows_) * stride_; }

 private:
  int rows_ = 1;
  std::size_t stride_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace leat::detail
