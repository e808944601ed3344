#include "leat/transfer/cuda/batch_kernels.h"
#include "leat/transfer/cuda/formats.cuh"
#include "leat/transfer/cuda/grid.cuh"
#include "leat/transfer/cuda/launch.h"

// A thread reads and writes 16 bytes where rows (for CutMix: lines of pixels) are multiples of 16 bytes; otherwise one
// value.
namespace leat::detail::cuda {
namespace {

// Returns the partner of a row; `rows` or more if there is none.
__device__ std::size_t partner_of(const std::uint32_t* partners, std::size_t row, std::size_t rows) {
  if (partners != nullptr) return partners[row];
  return row == 0 ? rows - 1 : row - 1;
}

struct Weights {
  explicit Weights(double lambda)
      : own(static_cast<float>(lambda)), partner(static_cast<float>(1 - lambda)) {}
  float own;
  float partner;
};

// Each thread mixes kCount values. A row has `packs` times as many.
template <class Format, int kCount>
__global__ void __launch_bounds__(kThreads)
    blend(typename Format::Element* __restrict__ to, const typename Format::Element* __restrict__ from,
          const std::uint32_t* __restrict__ partners, std::size_t rows, std::size_t packs,
          const Weights weights) {
  using Values = Pack<typename Format::Element, kCount>;
  const auto* const source = reinterpret_cast<const Values*>(from);
  const std::size_t items = rows * packs;
  for (std::size_t i = first_item(); i < items; i += item_step()) {
    const std::size_t row = i / packs;
    const std::size_t partner = partner_of(partners, row, rows);
    const Values own = source[i];
    const Values other = partner < rows ? source[partner * packs + i % packs] : own;
    Values mixed;
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      const float sum = __fadd_rn(__fmul_rn(weights.own, Format::widen(own.values[k])),
                                  __fmul_rn(weights.partner, Format::widen(other.values[k])));
      mixed.values[k] = Format::round_or_nan(partner < rows ? sum : __uint_as_float(0x7fc00000u));
    }
    reinterpret_cast<Values*>(to)[i] = mixed;
  }
}

// The lines of images, and the box in them, in values.
struct Lines {
  std::size_t per_row;  // c * h of NCHW, h of NHWC
  std::size_t height;
  std::size_t top, bottom;  // lines
  std::size_t begin, end;   // values of a line
};

// Each thread copies kCount values, whose bits are T. A line has `packs` times as many.
template <class T, int kCount>
__global__ void __launch_bounds__(kThreads)
    paste_box(T* __restrict__ to, const T* __restrict__ from, const std::uint32_t* __restrict__ partners,
              std::size_t rows, std::size_t packs, const Lines lines, const T nan) {
  using Values = Pack<T, kCount>;
  const auto* const source = reinterpret_cast<const Values*>(from);
  const std::size_t per_row = lines.per_row * packs;
  const std::size_t items = rows * per_row;
  for (std::size_t i = first_item(); i < items; i += item_step()) {
    const std::size_t y = i / packs % lines.height;
    const std::size_t first = i % packs * kCount;
    Values values = source[i];
    const bool has_box =
        y >= lines.top && y < lines.bottom && first < lines.end && first + kCount > lines.begin;
    if (has_box) {
      const std::size_t row = i / per_row;
      const std::size_t partner = partner_of(partners, row, rows);
      Values other = values;
      if (partner < rows) other = source[partner * per_row + i % per_row];
#pragma unroll
      for (int k = 0; k < kCount; ++k) {
        if (first + k >= lines.begin && first + k < lines.end)
          values.values[k] = partner < rows ? other.values[k] : nan;
      }
    }
    reinterpret_cast<Values*>(to)[i] = values;
  }
}

template <class Format>
cudaError_t launch_blend(void* memory, const void* source, const MixOperands& batch, std::size_t per_row,
                         const Weights& weights, cudaStream_t stream) {
  using Element = typename Format::Element;
  const std::size_t rows = batch.shape.n;
  if (rows * per_row == 0) return cudaSuccess;
  auto* const to = static_cast<Element*>(memory);
  const auto* const from = static_cast<const Element*>(source);
  if (is_aligned(to, 16) && is_aligned(from, 16) && per_row % Format::kPack == 0) {
    const std::size_t packs = per_row / Format::kPack;
    return launch_kernel(blend<Format, Format::kPack>, grid_of(rows * packs), kThreads, stream, to, from,
                         batch.partners, rows, packs, weights);
  }
  return launch_kernel(blend<Format, 1>, grid_of(rows * per_row), kThreads, stream, to, from, batch.partners,
                       rows, per_row, weights);
}

cudaError_t launch_targets(const MixOperands& batch, double lambda, cudaStream_t stream) {
  if (batch.targets == nullptr) return cudaSuccess;
  return launch_blend<F32>(batch.mixed_targets, batch.targets, batch, batch.classes, Weights(lambda), stream);
}

template <class T>
cudaError_t launch_paste(const CutMix& mix, T nan, cudaStream_t stream) {
  constexpr int kCount = 16 / sizeof(T);
  const MixOperands& batch = mix.batch;
  const PixelShape& shape = batch.shape;
  const bool is_planar = batch.layout == PixelLayout::nchw;
  const std::size_t pixel = is_planar ? 1 : shape.c;  // values side by side
  const std::size_t line = shape.w * pixel;
  const Lines lines{shape.h * (is_planar ? shape.c : 1),
                    shape.h,
                    mix.box.top,
                    mix.box.bottom,
                    mix.box.left * pixel,
                    mix.box.right * pixel};
  const std::size_t count = shape.n * lines.per_row * line;
  if (count == 0) return cudaSuccess;
  auto* const to = static_cast<T*>(batch.mixed_images);
  const auto* const from = static_cast<const T*>(batch.images);
  if (is_aligned(to, 16) && is_aligned(from, 16) && line % kCount == 0) {
    return launch_kernel(paste_box<T, kCount>, grid_of(count / kCount), kThreads, stream, to, from,
                         batch.partners, shape.n, line / kCount, lines, nan);
  }
  return launch_kernel(paste_box<T, 1>, grid_of(count), kThreads, stream, to, from, batch.partners, shape.n,
                       line, lines, nan);
}

}  // namespace

cudaError_t launch(const MixUp& mix, cudaStream_t stream) {
  const MixOperands& batch = mix.batch;
  const cudaError_t status = launch_targets(batch, mix.lambda, stream);
  if (status != cudaSuccess || batch.images == nullptr) return status;
  const std::size_t per_row = batch.shape.h * batch.shape.w * batch.shape.c;
  const Weights weights(mix.lambda);
  switch (batch.dtype) {
    case DType::f16:
      return launch_blend<F16>(batch.mixed_images, batch.images, batch, per_row, weights, stream);
    case DType::bf16:
      return launch_blend<BF16>(batch.mixed_images, batch.images, batch, per_row, weights, stream);
    default:
      return launch_blend<F32>(batch.mixed_images, batch.images, batch, per_row, weights, stream);
  }
}

cudaError_t launch(const CutMix& mix, cudaStream_t stream) {
  const cudaError_t status = launch_targets(mix.batch, mix.lambda(), stream);
  if (status != cudaSuccess || mix.batch.images == nullptr) return status;
  switch (mix.batch.dtype) {
    case DType::f16:
      return launch_paste<std::uint16_t>(mix, 0x7e00, stream);
    case DType::bf16:
      return launch_paste<std::uint16_t>(mix, 0x7fc0, stream);
    default:
      return launch_paste<std::uint32_t>(mix, 0x7fc00000u, stream);
  }
}

}  // namespace leat::detail::cuda
