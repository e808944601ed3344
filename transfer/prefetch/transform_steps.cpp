#include "leat/transfer/prefetch/transform_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/transfer/mixing_draws.h"

namespace leat::detail {
namespace {

using Step = std::function<void(const BufferMemory& buffer, const DevicePart& part, StreamRef stream)>;

const std::string& name_or(const std::string& name, const std::string& otherwise) {
  return name.empty() ? otherwise : name;
}

// What a result has in common with the column that it is made of.
DeviceColumn like(const DeviceColumn& from, const std::string& name, DType dtype, Shape shape) {
  return {
      .name = name, .dtype = dtype, .shape = std::move(shape), .is_whole = from.is_whole, .rows = from.rows};
}

std::string describe(const DeviceColumn& column) {
  return fmt::format("\"{}\" is {} with rows of shape {}", column.name, name_of(column.dtype),
                     to_string(column.shape));
}

void require_same_rows(const DeviceColumn& a, const DeviceColumn& b) {
  if (a.is_whole != b.is_whole) {
    throw ArgumentError(fmt::format(
        "\"{}\" and \"{}\" do not have the same rows: one has a device of its own", a.name, b.name));
  }
}

// Makes an operation of a buffer of the greatest size, in order to check it. It is never run, so there is no buffer.
template <class Make>
void check_early(const Make& make, const DeviceColumn& from, const std::vector<std::size_t>& ragged) {
  const DevicePart part{
      .rows = {0, from.rows}, .batch_rows = from.rows, .elements = ragged, .longest = ragged};
  alignas(BatchLayout::kAlignment) static std::byte start{};
  try {
    make(BufferMemory{&start, &start}, part).check();
  } catch (const ArgumentError& error) {
    throw ArgumentError(fmt::format("field \"{}\": {}", from.name, error.what()));
  }
}

template <class Make>
Step step_of(Make make) {
  return [make](const BufferMemory& buffer, const DevicePart& part, StreamRef stream) {
    stream.device().apply(make(buffer, part), stream);
  };
}

PixelShape pixels_of(const DeviceColumn& column) {
  if (column.ragged || column.padded || column.dtype != DType::u8 || column.shape.size() != 3) {
    throw ArgumentError(fmt::format("{}; only u8 pixels of shape [height, width, channels] can be normalized",
                                    describe(column)));
  }
  return {1, column.shape[0], column.shape[1], column.shape[2]};
}

Shape shape_of(const PixelShape& pixels, PixelLayout layout) {
  if (layout == PixelLayout::nhwc) return {pixels.h, pixels.w, pixels.c};
  return {pixels.c, pixels.h, pixels.w};
}

// Returns the column that tells which images to mirror; null if there is none.
const DeviceColumn* flip_column(const FieldNormalization& what, const DeviceColumn& pixels,
                                const DeviceLayout& layout) {
  if (what.flipped.empty()) return nullptr;
  const DeviceColumn& flips = layout.fixed(what.flipped);
  const bool is_byte = flips.dtype == DType::u8 || flips.dtype == DType::boolean;
  if (!is_byte || !flips.shape.empty() || flips.padded) {
    throw ArgumentError(
        fmt::format("{}; which images are mirrored is told by a u8 or a boolean for each", describe(flips)));
  }
  require_same_rows(pixels, flips);
  return &flips;
}

Step plan(const FieldNormalization& what, DeviceLayout& layout) {
  const DeviceColumn& from = layout.field(what.field);
  const PixelShape pixels = pixels_of(from);
  what.how.check(pixels);
  const DeviceColumn* const flips = flip_column(what, from, layout);
  DeviceColumn result =
      like(from, name_or(what.output, what.field), what.how.dtype, shape_of(pixels, what.how.layout));
  result.layout = what.how.layout;
  const DeviceColumn& to = layout.add_result(std::move(result), what.field);
  return [&from, &to, flips, pixels, how = what.how](const BufferMemory& buffer, const DevicePart& part,
                                                     StreamRef stream) {
    PixelShape shape = pixels;
    shape.n = from.rows_of(part).size();
    const auto* const flipped =
        flips == nullptr ? nullptr : reinterpret_cast<const std::uint8_t*>(flips->address(buffer));
    stream.device().normalize(to.address(buffer), reinterpret_cast<const std::uint8_t*>(from.address(buffer)),
                              shape, how, stream, flipped);
  };
}

// Columns that FieldPadding makes; the last two may be missing.
struct PaddingResults {
  const DeviceColumn& padded;
  const DeviceColumn* mask;
  const DeviceColumn* lengths;
};

PaddingResults add_results(const FieldPadding& what, const DeviceColumn& from, DeviceLayout& layout) {
  const std::size_t most =
      what.length > 0
          ? what.length
          : checked_multiply(
                divide_up(std::min(from.ragged->max_length, from.ragged->max_elements), what.multiple_of),
                what.multiple_of);
  const PaddedColumn rows{from.ragged->number, what.length, what.multiple_of, most};
  DeviceColumn padded = like(from, name_or(what.output, what.field), from.dtype, from.shape);
  padded.padded = rows;
  const DeviceColumn& to = layout.add_result(std::move(padded), what.field);
  PaddingResults results{to, nullptr, nullptr};
  if (!what.mask.empty()) {
    DeviceColumn mask = like(from, what.mask, DType::boolean, {});
    mask.padded = rows;
    results.mask = &layout.add_result(std::move(mask), "");
  }
  if (!what.lengths.empty())
    results.lengths = &layout.add_result(like(from, what.lengths, DType::i64, {}), "");
  return results;
}

Step plan(const FieldPadding& what, DeviceLayout& layout) {
  const DeviceColumn& from = layout.ragged(what.field);
  if (what.truncate && what.length == 0)
    throw ArgumentError(
        fmt::format("field \"{}\": rows are truncated to a length, and none is given", what.field));
  if (what.multiple_of == 0)
    throw ArgumentError(fmt::format("field \"{}\": rows cannot be padded to a multiple of 0", what.field));
  if (what.length > 0 && !what.truncate) layout.limit_rows(from, what.length);
  const PaddingResults to = add_results(what, from, layout);
  const auto make = [&from, to, fill = what.fill, truncate = what.truncate](const BufferMemory& buffer,
                                                                            const DevicePart& part) {
    PadRagged operation;
    operation.to = to.padded.address(buffer);
    operation.values = from.address(buffer);
    operation.offsets = reinterpret_cast<const std::int64_t*>(buffer.device + from.ragged->row_offsets);
    if (to.mask != nullptr) operation.mask = reinterpret_cast<std::uint8_t*>(to.mask->address(buffer));
    if (to.lengths != nullptr)
      operation.lengths = reinterpret_cast<std::int64_t*>(to.lengths->address(buffer));
    operation.rows = from.rows_of(part).size();
    operation.length = to.padded.length(part);
    operation.elements = part.elements[from.ragged->number];
    operation.values_per_element = element_count(from.shape);
    operation.dtype = from.dtype;
    operation.fill = fill;
    operation.truncate = truncate;
    return operation;
  };
  check_early(make, from, std::vector<std::size_t>(from.ragged->number + 1, 1));
  return step_of(make);
}

Step plan(const FieldWidening& what, DeviceLayout& layout) {
  const DeviceColumn& from = layout.fixed(what.field);
  DeviceColumn wide = like(from, name_or(what.output, what.field), DType::i64, from.shape);
  wide.padded = from.padded;
  const DeviceColumn& to = layout.add_result(std::move(wide), what.field);
  const auto make = [&from, &to](const BufferMemory& buffer, const DevicePart& part) {
    Widen operation;
    operation.to = reinterpret_cast<std::int64_t*>(to.address(buffer));
    operation.from = from.address(buffer);
    operation.dtype = from.dtype;
    operation.count = from.view(buffer, part).count();
    return operation;
  };
  const std::size_t ragged = from.padded ? from.padded->ragged + 1 : 0;
  check_early(make, from, std::vector<std::size_t>(ragged, 1));
  return step_of(make);
}

Step plan(const FieldOneHot& what, DeviceLayout& layout) {
  const DeviceColumn& from = layout.fixed(what.field);
  if (!from.shape.empty() || from.padded)
    throw ArgumentError(fmt::format("{}; labels are one integer for each row", describe(from)));
  const DeviceColumn& to =
      layout.add_result(like(from, name_or(what.output, what.field), DType::f32, {what.classes}), what.field);
  const auto make = [&from, &to, classes = what.classes, smoothing = what.smoothing](
                        const BufferMemory& buffer, const DevicePart& part) {
    OneHot operation;
    operation.to = reinterpret_cast<float*>(to.address(buffer));
    operation.labels = from.address(buffer);
    operation.dtype = from.dtype;
    operation.rows = from.rows_of(part).size();
    operation.classes = classes;
    operation.smoothing = smoothing;
    return operation;
  };
  check_early(make, from, {});
  return step_of(make);
}

// The columns of MixUp and CutMix.
struct MixColumns {
  const DeviceColumn& images;
  const DeviceColumn& targets;
  const DeviceColumn& mixed_images;
  const DeviceColumn& mixed_targets;
  PixelShape shape;
  PixelLayout layout;

  MixOperands operands(const BufferMemory& buffer, const DevicePart& part) const {
    MixOperands operands;
    operands.mixed_images = mixed_images.address(buffer);
    operands.images = images.address(buffer);
    operands.shape = shape;
    operands.shape.n = images.rows_of(part).size();
    operands.layout = layout;
    operands.dtype = images.dtype;
    operands.mixed_targets = reinterpret_cast<float*>(mixed_targets.address(buffer));
    operands.targets = reinterpret_cast<const float*>(targets.address(buffer));
    operands.classes = targets.shape[0];
    return operands;
  }
};

// Returns the layout of images that were normalized, or the one that the user says they have.
PixelLayout layout_of(const DeviceColumn& images, std::optional<PixelLayout> said) {
  if (!said && !images.layout) {
    throw ArgumentError(fmt::format("{}; BatchCutMix::layout must say which dimensions are lines and columns",
                                    describe(images)));
  }
  if (said && images.layout && *said != *images.layout)
    throw ArgumentError(fmt::format("{}, but BatchCutMix::layout is another", describe(images)));
  return said.value_or(images.layout.value_or(PixelLayout::nchw));
}

MixColumns add_mix(const std::string& images_name, const std::string& targets_name, PixelLayout pixel_layout,
                   DeviceLayout& layout) {
  const DeviceColumn& images = layout.fixed(images_name);
  const DeviceColumn& targets = layout.fixed(targets_name);
  if (images.shape.size() != 3 || images.padded)
    throw ArgumentError(fmt::format("{}; only images of three dimensions can be mixed", describe(images)));
  if (targets.dtype != DType::f32 || targets.shape.size() != 1 || targets.padded) {
    throw ArgumentError(
        fmt::format("{}; targets to be mixed are f32 [classes], see FieldOneHot", describe(targets)));
  }
  require_same_rows(images, targets);
  const Shape& shape = images.shape;
  const PixelShape pixels = pixel_layout == PixelLayout::nhwc ? PixelShape{1, shape[0], shape[1], shape[2]}
                                                              : PixelShape{1, shape[1], shape[2], shape[0]};
  DeviceColumn mixed = like(images, images_name, images.dtype, images.shape);
  mixed.layout = images.layout;
  const DeviceColumn& mixed_images = layout.add_result(std::move(mixed), images_name);
  const DeviceColumn& mixed_targets =
      layout.add_result(like(targets, targets_name, targets.dtype, targets.shape), targets_name);
  return {images, targets, mixed_images, mixed_targets, pixels, pixel_layout};
}

Step plan(const BatchMixUp& what, DeviceLayout& layout) {
  const MixColumns columns = add_mix(what.images, what.targets, PixelLayout::nchw, layout);  // any is right
  const auto make = [columns, alpha = what.alpha, seed = what.seed](const BufferMemory& buffer,
                                                                    const DevicePart& part) {
    Rng rng = mixing_rng(seed, part.epoch, part.number);
    return MixUp{.batch = columns.operands(buffer, part), .lambda = draw_mixup(rng, alpha).lambda};
  };
  check_early(make, columns.images, {});
  return step_of(make);
}

Step plan(const BatchCutMix& what, DeviceLayout& layout) {
  const PixelLayout pixels = layout_of(layout.fixed(what.images), what.layout);
  const MixColumns columns = add_mix(what.images, what.targets, pixels, layout);
  const auto make = [columns, alpha = what.alpha, seed = what.seed](const BufferMemory& buffer,
                                                                    const DevicePart& part) {
    Rng rng = mixing_rng(seed, part.epoch, part.number);
    return CutMix{.batch = columns.operands(buffer, part),
                  .box = draw_cutmix(rng, alpha, columns.shape.h, columns.shape.w).box};
  };
  check_early(make, columns.images, {});
  return step_of(make);
}

const std::string& first_operand(const FieldNormalization& what) {
  return what.field;
}
const std::string& first_operand(const FieldPadding& what) {
  return what.field;
}
const std::string& first_operand(const FieldWidening& what) {
  return what.field;
}
const std::string& first_operand(const FieldOneHot& what) {
  return what.field;
}
const std::string& first_operand(const BatchMixUp& what) {
  return what.images;
}
const std::string& first_operand(const BatchCutMix& what) {
  return what.images;
}

}  // namespace

bool TransformSteps::applies(const BatchTransform& transform, const DeviceLayout& layout) {
  return layout.has(std::visit([](const auto& what) { return first_operand(what); }, transform));
}

void TransformSteps::add(const BatchTransform& transform, DeviceLayout& layout) {
  steps_.push_back(std::visit([&](const auto& what) { return plan(what, layout); }, transform));
}

void TransformSteps::enqueue(const BufferMemory& buffer, const DevicePart& part, StreamRef stream) const {
  for (const Step& step : steps_) step(buffer, part, stream);
}

}  // namespace leat::detail
