#include "datasets/records/record_images.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "datasets/image/image_loader.h"
#include "datasets/image/resample.h"
#include "loader/base/errors.h"

namespace leat {

namespace {

constexpr std::size_t kImage = 0, kLabel = 1;  // the fields' positions in a batch

std::size_t find_image(const RecordSet& set) {
  for (const Content content : {Content::jpeg, Content::rgb}) {
    if (const auto field = set.schema().find(content)) return *field;
  }
  throw DataError(set.path().string(), "its records hold no pictures");
}

std::size_t find_label(const RecordSet& set) {
  const auto field = set.schema().find("label");
  if (field && set.schema().fields().has_scalar(*field, DType::i64)) return *field;
  throw DataError(set.path().string(), "its records hold no label (i64, scalar)");
}

// Of pictures that are all stored as pixels of one size.
std::optional<Size> stored_size(const RecordSchema& schema, std::size_t image) {
  const Field& field = schema.fields()[image];
  if (field.is_ragged() || schema.content(image) != Content::rgb) return std::nullopt;
  constexpr std::size_t kMost = 1 << 16;
  if (field.shape[0] > kMost || field.shape[1] > kMost)
    throw ArgumentError("the stored pictures are too large");
  return Size{static_cast<int>(field.shape[1]), static_cast<int>(field.shape[0])};
}

Size output_size(const std::optional<TransformPipeline>& transforms, std::optional<Size> stored) {
  if (!transforms && stored) return *stored;
  if (!transforms) throw ArgumentError("the stored pictures are not pixels of one size: give transforms");
  if (const auto size = transforms->output_size()) return *size;
  throw ArgumentError(
      "the transforms leave pictures different sizes, but the rows of a batch are equally large: end with a "
      "CenterCrop, a RandomResizedCrop, or a Resize to height and width");
}

Schema make_schema(Size size) {
  const auto height = static_cast<std::size_t>(size.height), width = static_cast<std::size_t>(size.width);
  return Schema({{"image", DType::u8, {height, width, kChannels}}, {"label", DType::i64, {}}});
}

void resample(ImageView pixels, const TransformPipeline& transforms, Rng& rng, MutableImageView out) {
  thread_local Resampler resampler;
  resampler.prepare(transforms.plan(pixels.size, rng));
  resampler.run({pixels, 0, 0}, out);
}

}  // namespace

RecordImages::RecordImages(const std::filesystem::path& path, std::optional<TransformPipeline> transforms,
                           JpegLimits limits)
    : set_(path),
      transforms_(std::move(transforms)),
      limits_(limits),
      image_(find_image(set_)),
      label_(find_label(set_)),
      size_(output_size(transforms_, stored_size(set_.schema(), image_))),
      schema_(make_schema(size_)) {
  const auto extents = set_.schema().find(set_.schema().fields()[image_].name + "_size");
  if (extents) extents_ = *extents;
}

void RecordImages::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  const std::span<std::byte> row = out.bytes(kImage);
  std::array<std::span<std::byte>, Schema::kMaxFields> rows{};
  rows[label_] = out.bytes(kLabel);
  if (!transforms_) rows[image_] = row;
  const RecordView record = set_.read(index, {rows.data(), set_.schema().size()});
  if (!transforms_) return;
  const MutableImageView pixels{reinterpret_cast<std::uint8_t*>(row.data()), size_,
                                std::ptrdiff_t{size_.width} * kChannels};
  try {
    prepare(record, rng, pixels);
  } catch (const Error& error) {
    throw DataError(describe(index), error.what());
  }
}

Size RecordImages::size_of(const RecordView& record) const {
  if (const auto stored = stored_size(set_.schema(), image_)) return *stored;
  std::array<std::uint32_t, 2> extents{};  // height, width
  std::memcpy(extents.data(), record.bytes(extents_).data(), sizeof extents);
  constexpr std::uint32_t kMost = 1 << 16;
  const auto [height, width] = extents;
  if (height == 0 || width == 0 || height > kMost || width > kMost ||
      std::uint64_t{height} * width != record.length(image_)) {
    throw Error(fmt::format("{} x {} is not the size of {} pixels", width, height, record.length(image_)));
  }
  return {static_cast<int>(width), static_cast<int>(height)};
}

void RecordImages::prepare(const RecordView& record, Rng& rng, MutableImageView out) const {
  const std::span<const std::byte> stored = record.bytes(image_);
  if (set_.schema().content(image_) == Content::jpeg) {
    ImageLoader::of_this_thread().load(stored, *transforms_, {.limits = limits_}, rng, out);
    return;
  }
  const Size size = size_of(record);
  resample(
      {reinterpret_cast<const std::uint8_t*>(stored.data()), size, std::ptrdiff_t{size.width} * kChannels},
      *transforms_, rng, out);
}

std::int64_t RecordImages::label_of(std::size_t index) const {
  std::int64_t label = 0;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(&label, 1));
  if (set_.peek(index, label_, bytes)) return label;
  std::array<std::span<std::byte>, Schema::kMaxFields> rows{};
  rows[label_] = bytes;
  set_.read(index, {rows.data(), set_.schema().size()});
  return label;
}

}  // namespace leat
