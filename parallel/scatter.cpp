#include "leat/parallel/scatter.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/datasets/base/checked.h"

namespace leat {

using namespace detail;

namespace {

std::string to_text(const TensorView& view) {
  return fmt::format("{} {}", name_of(view.dtype), to_string(view.shape));
}

bool same_rows(const TensorView& a, const TensorView& b) {
  return a.dtype == b.dtype && !a.shape.empty() && a.shape.size() == b.shape.size() &&
         std::equal(a.shape.begin() + 1, a.shape.end(), b.shape.begin() + 1);
}

void check_parts(std::span<const TensorView> parts, const TensorView& out) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!same_rows(parts[i], out)) {
      throw ArgumentError(
          fmt::format("gather: part {} is {}, whose rows do not fit {}", i, to_text(parts[i]), to_text(out)));
    }
    rows = checked_add(rows, parts[i].shape[0]);
  }
  if (out.shape.empty() || rows != out.shape[0]) {
    throw ArgumentError(
        fmt::format("gather: {} parts hold {} rows, but the result is {}", parts.size(), rows, to_text(out)));
  }
}

}  // namespace

std::vector<TensorView> scatter(const TensorView& batch, std::size_t k) {
  if (batch.shape.empty()) throw ArgumentError("scatter: a scalar has no rows");
  std::vector<TensorView> views;
  for (const RowRange& range : chunk_rows(batch.shape[0], k))
    views.push_back(batch.rows(range.first, range.last));
  return views;
}

void gather(std::span<const TensorView> parts, const TensorView& out, StreamRef stream) {
  check_parts(parts, out);
  std::byte* place = static_cast<std::byte*>(out.data);
  for (const TensorView& part : parts) {
    const std::size_t bytes = part.bytes();
    if (bytes > 0) stream.device().copy(place, part.data, bytes, stream);
    place += bytes;
  }
}

}  // namespace leat
