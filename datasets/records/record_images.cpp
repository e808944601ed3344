#include "leat/datasets/records/record_images.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/image/image_loader.h"

namespace leat {

namespace {

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

LabelledImage delivered(const std::optional<TransformPipeline>& transforms, std::optional<Size> stored) {
  if (transforms) return LabelledImage(*transforms, stored);
  if (stored) return LabelledImage(*stored);
  throw ArgumentError("the stored pictures are not pixels of one size: give transforms");
}

}  // namespace

RecordImages::RecordImages(const std::filesystem::path& path, std::optional<TransformPipeline> transforms,
                           const DecodeOptions& decode)
    : set_(path),
      transforms_(std::move(transforms)),
      decode_(decode),
      image_(find_image(set_)),
      label_(find_label(set_)),
      delivered_(delivered(transforms_, stored_size(set_.schema(), image_))),
      schema_(delivered_.schema()) {
  const auto extents = set_.schema().find(set_.schema().fields()[image_].name + "_size");
  if (extents) extents_ = *extents;
}

void RecordImages::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  const std::span<std::byte> row = out.bytes(LabelledImage::kImage);
  std::array<std::span<std::byte>, Schema::kMaxFields> rows{};
  rows[label_] = out.bytes(LabelledImage::kLabel);
  if (!transforms_) rows[image_] = row;
  const RecordView record = set_.read(index, {rows.data(), set_.schema().size()});
  if (!transforms_) return;
  try {
    warnings_.count(prepare(record, rng, delivered_.output(row)), index);
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

DecodeWarnings RecordImages::prepare(const RecordView& record, Rng& rng, const PixelOutput& out) const {
  const std::span<const std::byte> stored = record.bytes(image_);
  ImageLoader& loader = ImageLoader::of_this_thread();
  if (set_.schema().content(image_) == Content::jpeg) {
    return loader.load(stored, *transforms_, decode_, rng, out);
  }
  const Size size = size_of(record);
  const auto* pixels = reinterpret_cast<const std::uint8_t*>(stored.data());
  loader.load(ImageView{pixels, size, std::ptrdiff_t{size.width} * kChannels}, *transforms_, rng, out);
  return {};
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
