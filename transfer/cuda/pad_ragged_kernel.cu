#include <cstring>

#include "leat/transfer/cuda/batch_kernels.h"
#include "leat/transfer/cuda/grid.cuh"
#include "leat/transfer/cuda/launch.h"

// Writes are 16 bytes wide where the rows of the result are multiples of 16 bytes. Ragged rows begin anywhere, so reads
// are wide only if a row happens to be aligned; otherwise neighboring threads read neighboring values, from one cache
// line.
namespace leat::detail::cuda {
namespace {

struct Rows {
  std::size_t count;
  std::size_t length;    // elements per row of the result
  std::size_t elements;  // in the ragged values
  bool truncate;
};

// Returns how many elements of a row are copied; -1 if the row cannot be copied.
__device__ std::int64_t copied_elements(const Rows& rows, const std::int64_t* offsets, std::size_t row) {
  const std::int64_t begin = offsets[row];
  const std::int64_t end = offsets[row + 1];
  if (begin < 0 || end < begin || static_cast<std::size_t>(end) > rows.elements) return -1;
  const auto length = static_cast<std::size_t>(end - begin);
  if (length <= rows.length) return static_cast<std::int64_t>(length);
  return rows.truncate ? static_cast<std::int64_t>(rows.length) : -1;
}

__device__ std::size_t real_elements(const Rows& rows, const std::int64_t* offsets, std::size_t row) {
  const std::int64_t copied = copied_elements(rows, offsets, row);
  return copied < 0 ? 0 : static_cast<std::size_t>(copied);
}

template <class T, int kCount>
__device__ bool is_pack(const T* values) {
  return reinterpret_cast<std::uintptr_t>(values) % sizeof(Pack<T, kCount>) == 0;
}

// Each thread writes kCount values of a row. A row of the result has `packs` times as many.
template <class T, int kCount>
__global__ void __launch_bounds__(kThreads)
    pad_values(T* __restrict__ to, const T* __restrict__ values, const std::int64_t* __restrict__ offsets,
               std::size_t packs, std::size_t per_element, const Rows rows, const T fill) {
  const std::size_t items = rows.count * packs;
  for (std::size_t i = first_item(); i < items; i += item_step()) {
    const std::size_t row = i / packs;
    const std::size_t first = i % packs * kCount;
    const std::size_t real = real_elements(rows, offsets, row) * per_element;
    Pack<T, kCount> pack;
    if (first + kCount <= real) {
      const T* const source = values + static_cast<std::size_t>(offsets[row]) * per_element + first;
      if (is_pack<T, kCount>(source)) {
        pack = *reinterpret_cast<const Pack<T, kCount>*>(source);
      } else {
#pragma unroll
        for (int k = 0; k < kCount; ++k) pack.values[k] = source[k];
      }
    } else {
      const T* const source =
          real > 0 ? values + static_cast<std::size_t>(offsets[row]) * per_element : values;
#pragma unroll
      for (int k = 0; k < kCount; ++k) pack.values[k] = first + k < real ? source[first + k] : fill;
    }
    reinterpret_cast<Pack<T, kCount>*>(to)[i] = pack;
  }
}

template <int kCount>
__global__ void __launch_bounds__(kThreads)
    write_mask(std::uint8_t* __restrict__ mask, const std::int64_t* __restrict__ offsets, std::size_t packs,
               const Rows rows) {
  const std::size_t items = rows.count * packs;
  for (std::size_t i = first_item(); i < items; i += item_step()) {
    const std::size_t first = i % packs * kCount;
    const std::size_t real = real_elements(rows, offsets, i / packs);
    Pack<std::uint8_t, kCount> pack;
#pragma unroll
    for (int k = 0; k < kCount; ++k) pack.values[k] = first + k < real ? 1 : 0;
    reinterpret_cast<Pack<std::uint8_t, kCount>*>(mask)[i] = pack;
  }
}

__global__ void __launch_bounds__(kThreads)
    write_lengths(std::int64_t* __restrict__ lengths, const std::int64_t* __restrict__ offsets,
                  const Rows rows) {
  for (std::size_t row = first_item(); row < rows.count; row += item_step())
    lengths[row] = copied_elements(rows, offsets, row);
}

template <class T, int kCount>
cudaError_t launch_values(const PadRagged& pad, const Rows& rows, cudaStream_t stream) {
  const std::size_t packs = pad.length * pad.values_per_element / kCount;
  if (pad.rows * packs == 0) return cudaSuccess;
  T fill{};
  std::memcpy(&fill, pad.fill.bytes().data(), sizeof fill);
  return launch_kernel(pad_values<T, kCount>, grid_of(pad.rows * packs), kThreads, stream,
                       static_cast<T*>(pad.to), static_cast<const T*>(pad.values), pad.offsets, packs,
                       pad.values_per_element, rows, fill);
}

template <class T>
cudaError_t launch_values_as(const PadRagged& pad, const Rows& rows, cudaStream_t stream) {
  constexpr int kCount = 16 / sizeof(T);
  const bool wide = is_aligned(pad.to, 16) && pad.length * pad.values_per_element % kCount == 0;
  return wide ? launch_values<T, kCount>(pad, rows, stream) : launch_values<T, 1>(pad, rows, stream);
}

cudaError_t launch_values(const PadRagged& pad, const Rows& rows, cudaStream_t stream) {
  switch (size_of(pad.dtype)) {
    case 1:
      return launch_values_as<std::uint8_t>(pad, rows, stream);
    case 2:
      return launch_values_as<std::uint16_t>(pad, rows, stream);
    case 4:
      return launch_values_as<std::uint32_t>(pad, rows, stream);
    default:
      return launch_values_as<std::uint64_t>(pad, rows, stream);
  }
}

cudaError_t launch_mask(const PadRagged& pad, const Rows& rows, cudaStream_t stream) {
  if (pad.mask == nullptr || pad.rows * pad.length == 0) return cudaSuccess;
  if (is_aligned(pad.mask, 16) && pad.length % 16 == 0) {
    const std::size_t packs = pad.length / 16;
    return launch_kernel(write_mask<16>, grid_of(pad.rows * packs), kThreads, stream, pad.mask, pad.offsets,
                         packs, rows);
  }
  return launch_kernel(write_mask<1>, grid_of(pad.rows * pad.length), kThreads, stream, pad.mask, pad.offsets,
                       pad.length, rows);
}

cudaError_t launch_lengths(const PadRagged& pad, const Rows& rows, cudaStream_t stream) {
  if (pad.lengths == nullptr || pad.rows == 0) return cudaSuccess;
  return launch_kernel(write_lengths, grid_of(pad.rows), kThreads, stream, pad.lengths, pad.offsets, rows);
}

}  // namespace

cudaError_t launch(const PadRagged& pad, cudaStream_t stream) {
  const Rows rows{pad.rows, pad.length, pad.elements, pad.truncate};
  for (const auto part : {&launch_mask, &launch_lengths}) {
    const cudaError_t status = part(pad, rows, stream);
    if (status != cudaSuccess) return status;
  }
  return launch_values(pad, rows, stream);
}

}  // namespace leat::detail::cuda
