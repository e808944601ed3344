#include "leat/transfer/batch_operations.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

namespace {

// Memory that an operation reads or writes. Its size is that of [rows, columns] elements.
struct Operand {
  std::string_view name;
  const void* memory;
  std::size_t bytes;
  std::size_t alignment;
  bool is_written = false;
};

using Operands = std::vector<Operand>;

std::size_t bytes_of(std::initializer_list<std::size_t> extents) {
  return element_count({extents.begin(), extents.size()});
}

Operands operands_of(const PadRagged& pad) {
  const std::size_t size = size_of(pad.dtype);
  Operands operands{
      {"to", pad.to, bytes_of({pad.rows, pad.length, pad.values_per_element, size}), size, true},
      {"values", pad.values, bytes_of({pad.elements, pad.values_per_element, size}), size},
      {"offsets", pad.offsets, pad.rows == 0 ? 0 : bytes_of({checked_add(pad.rows, 1), 8}), 8}};
  if (pad.mask != nullptr) operands.push_back({"mask", pad.mask, bytes_of({pad.rows, pad.length}), 1, true});
  if (pad.lengths != nullptr) operands.push_back({"lengths", pad.lengths, bytes_of({pad.rows, 8}), 8, true});
  return operands;
}

Operands operands_of(const Widen& widen) {
  const std::size_t size = size_of(widen.dtype);
  return {{"to", widen.to, bytes_of({widen.count, 8}), 8, true},
          {"from", widen.from, bytes_of({widen.count, size}), size}};
}

Operands operands_of(const OneHot& one_hot) {
  const std::size_t size = size_of(one_hot.dtype);
  return {{"to", one_hot.to, bytes_of({one_hot.rows, one_hot.classes, 4}), 4, true},
          {"labels", one_hot.labels, bytes_of({one_hot.rows, size}), size}};
}

Operands operands_of(const MixOperands& batch) {
  Operands operands;
  if (batch.images != nullptr || batch.mixed_images != nullptr) {
    const std::size_t size = size_of(batch.dtype);
    const PixelShape& shape = batch.shape;
    const std::size_t bytes = bytes_of({shape.n, shape.h, shape.w, shape.c, size});
    operands.push_back({"mixed_images", batch.mixed_images, bytes, size, true});
    operands.push_back({"images", batch.images, bytes, size});
  }
  if (batch.targets != nullptr || batch.mixed_targets != nullptr) {
    const std::size_t bytes = bytes_of({batch.shape.n, batch.classes, 4});
    operands.push_back({"mixed_targets", batch.mixed_targets, bytes, 4, true});
    operands.push_back({"targets", batch.targets, bytes, 4});
  }
  if (batch.partners != nullptr)
    operands.push_back({"partners", batch.partners, bytes_of({batch.shape.n, 4}), 4});
  return operands;
}

Operands operands_of(const MixUp& mix) {
  return operands_of(mix.batch);
}
Operands operands_of(const CutMix& mix) {
  return operands_of(mix.batch);
}

std::uintptr_t address_of(const Operand& operand) {
  return reinterpret_cast<std::uintptr_t>(operand.memory);
}

bool overlap(const Operand& a, const Operand& b) {
  return a.bytes > 0 && b.bytes > 0 && address_of(a) < address_of(b) + b.bytes &&
         address_of(b) < address_of(a) + a.bytes;
}

void check_operands(std::string_view operation, const Operands& operands) {
  for (const Operand& operand : operands) {
    if (operand.memory == nullptr && operand.bytes > 0)
      throw ArgumentError(fmt::format("{}: {} is null", operation, operand.name));
    if (address_of(operand) % operand.alignment != 0) {
      throw ArgumentError(fmt::format("{}: {} is at {}, which is not aligned to its elements of {} bytes",
                                      operation, operand.name, operand.memory, operand.alignment));
    }
  }
  for (const Operand& written : operands) {
    for (const Operand& other : operands) {
      if (written.is_written && &written != &other && overlap(written, other)) {
        throw ArgumentError(fmt::format("{}: {} and {} overlap; the result needs memory of its own",
                                        operation, written.name, other.name));
      }
    }
  }
}

void require_dtype(std::string_view operation, DType dtype, std::initializer_list<DType> allowed) {
  std::string names;
  for (const DType each : allowed) {
    if (dtype == each) return;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(each));
  }
  throw ArgumentError(fmt::format("{} takes {}, not {}", operation, names, name_of(dtype)));
}

bool is_in_unit_interval(double value) {
  return value >= 0 && value <= 1;
}

}  // namespace

void PadRagged::check() const {
  if (fill.dtype().has_value() && *fill.dtype() != dtype) {
    throw ArgumentError(
        fmt::format("PadRagged: fill is {}, but the values are {}", name_of(*fill.dtype()), name_of(dtype)));
  }
  check_operands("PadRagged", operands_of(*this));
}

void Widen::check() const {
  require_dtype("Widen", dtype, {DType::u8, DType::u16, DType::u32, DType::i32});
  check_operands("Widen", operands_of(*this));
}

float OneHot::on() const noexcept {
  return static_cast<float>(1 - smoothing + smoothing / static_cast<double>(classes));
}

float OneHot::off() const noexcept {
  return static_cast<float>(smoothing / static_cast<double>(classes));
}

void OneHot::check() const {
  require_dtype("OneHot", dtype, {DType::u8, DType::u16, DType::i32, DType::i64});
  if (classes == 0) throw ArgumentError("OneHot: there are 0 classes; give at least 1");
  if (!is_in_unit_interval(smoothing) || smoothing == 1)
    throw ArgumentError(fmt::format("OneHot: smoothing is {}, which is not in [0, 1)", smoothing));
  check_operands("OneHot", operands_of(*this));
}

void MixOperands::check() const {
  require_dtype("mixing images", dtype, {DType::f32, DType::f16, DType::bf16});
  check_operands("mixing", operands_of(*this));
}

void MixUp::check() const {
  if (!is_in_unit_interval(lambda))
    throw ArgumentError(fmt::format("MixUp: lambda is {}, which is not in [0, 1]", lambda));
  batch.check();
}

double CutMix::lambda() const noexcept {
  const auto inside = static_cast<double>((box.right - box.left) * (box.bottom - box.top));
  const auto all = static_cast<double>(batch.shape.h * batch.shape.w);
  return all > 0 ? 1 - inside / all : 1;
}

void CutMix::check() const {
  const PixelShape& shape = batch.shape;
  if (box.left > box.right || box.right > shape.w || box.top > box.bottom || box.bottom > shape.h) {
    throw ArgumentError(
        fmt::format("CutMix: columns {} to {} of lines {} to {} are no box within an image of {} x {} pixels",
                    box.left, box.right, box.top, box.bottom, shape.w, shape.h));
  }
  batch.check();
}

void check(const BatchOperation& operation) {
  std::visit([](const auto& each) { each.check(); }, operation);
}

std::vector<std::span<const std::byte>> written_by(const BatchOperation& operation) {
  std::vector<std::span<const std::byte>> written;
  const Operands operands = std::visit([](const auto& each) { return operands_of(each); }, operation);
  for (const Operand& operand : operands) {
    if (operand.is_written)
      written.emplace_back(static_cast<const std::byte*>(operand.memory), operand.bytes);
  }
  return written;
}

}  // namespace leat
