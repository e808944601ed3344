#include "leat/datasets/image_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/formats/image_fields.h"
#include "leat/datasets/formats/image_names.h"
#include "leat/datasets/formats/stored_image.h"
#include "leat/datasets/formats/stored_value.h"
#include "leat/datasets/image/labeled_image.h"
#include "leat/datasets/spec/image_spec.h"
#include "leat/datasets/warning.h"

namespace leat {

using namespace detail;

namespace {

FieldChoice otherwise(const ImageFields& fields) {
  std::vector<std::string> names = other_image_names(fields.image);
  names.push_back(fields.label);
  return FieldChoice(std::move(names));
}

const StoredField& required(const StoredField* field, const std::string& name) {
  if (field == nullptr) throw ArgumentError(fmt::format("it has no field '{}'", name));
  return *field;
}

std::shared_ptr<const SampleSource> required(std::shared_ptr<const SampleSource> source) {
  if (source == nullptr) throw ArgumentError("there is no source of images: the pointer is null");
  return source;
}

DecodeOptions checked(const DecodeOptions& options) {
  if (options.limits.max_scans < 1)
    throw ArgumentError(fmt::format("a limit of {} scans: at least 1 is needed", options.limits.max_scans));
  const double gap = options.reducing_gap;
  if (gap == 0 || (gap >= 1 && std::isfinite(gap))) return options;
  throw ArgumentError(fmt::format("a reducing gap of {} is neither 0 nor at least 1", gap));
}

// Finds the field with this name. Nullopt if the source does not know that all samples have it in one fixed shape.
std::optional<std::size_t> fixed_field(const SampleSource& source, const std::string& name) {
  if (source.schema() == nullptr) return std::nullopt;
  const auto field = source.schema()->find(name);
  if (!field || source.schema()->fields()[*field].is_ragged()) return std::nullopt;
  return field;
}

Size size_of_shape(const Shape& shape) {
  constexpr std::size_t kMost = 1 << 16;
  if (shape[0] > kMost || shape[1] > kMost) throw ArgumentError("the stored images are too large");
  return {static_cast<int>(shape[1]), static_cast<int>(shape[0])};
}

// The common size of images that are all stored as pixels of one size.
std::optional<Size> stored_size(const SampleSource& source, const std::string& image) {
  const auto field = fixed_field(source, image);
  if (!field || source.schema()->content(*field) != Content::rgb) return std::nullopt;
  return size_of_shape(source.schema()->fields()[*field].shape);
}

// The size of the first sample's pixels. Nullopt if the sample has none, or if the source knows that sizes differ.
std::optional<Size> first_size(const SampleSource& source, const ImageFields& fields) {
  const bool sizes_differ = source.schema() != nullptr;  // a schema would state a common size
  if (source.size() == 0 || sizes_differ) return std::nullopt;
  StoredSample first;
  source.read(0, FieldChoice({fields.image}), first);
  const StoredField* const image = first.find(fields.image);
  if (image == nullptr || image->encoding.kind != Encoding::pixels) return std::nullopt;
  return stored_pixels(*image).size;
}

LabeledImage delivered(const SampleSource& source, const std::optional<TransformPipeline>& transforms,
                       const ImageFields& fields) {
  std::optional<Size> stored = stored_size(source, fields.image);
  const bool needs_size = !stored && (!transforms || !transforms->output_size());
  if (needs_size) stored = first_size(source, fields);
  if (transforms) return LabeledImage(*transforms, stored);
  if (stored) return LabeledImage(*stored);
  throw ArgumentError("the stored images are not pixels of one size: give transforms");
}

}  // namespace

struct ImageDataset::Impl {
  Impl(std::shared_ptr<const SampleSource> from, std::optional<TransformPipeline> how,
       const ImageDatasetOptions& options)
      : source(required(std::move(from))),
        transforms(std::move(how)),
        decode(checked(options.decode)),
        fields(complete_image_fields(options.fields, *source)),
        both({fields.image, fields.label}),
        otherwise(leat::otherwise(fields)),
        label({fields.label}),
        image(delivered(*source, transforms, fields)),
        schema(image.schema()),
        classes(source->classes()) {
    const auto image_field = fixed_field(*source, fields.image),
               label_field = fixed_field(*source, fields.label);
    if (transforms || !image_field || !label_field) return;
    if (!source->schema()->fields().has_scalar(*label_field, DType::i64)) return;
    direct = {*image_field, *label_field};
  }

  void read(std::size_t index, StoredSample& sample) const;
  bool read_into(std::size_t index, SampleWriter& out) const;
  void load(std::size_t index, const StoredSample& sample, Rng& rng, SampleWriter& out) const;
  [[noreturn]] void fail(std::size_t index, const Error& error) const;  // call only in the handler of `error`

  std::shared_ptr<const SampleSource> source;
  std::optional<TransformPipeline> transforms;  // nullopt: images are delivered as stored
  DecodeOptions decode;
  ImageFields fields;
  FieldChoice both, otherwise, label;  // `otherwise`: with the image's other names
  LabeledImage image;
  Schema schema;
  std::vector<std::string> classes;
  struct Direct {
    std::size_t image, label;  // positions in the source's schema
  };
  std::optional<Direct> direct{};  // set if samples may be read directly into rows
  ImageWarnings warnings;
};

void ImageDataset::Impl::read(std::size_t index, StoredSample& sample) const {
  source->read(index, both, sample);
  if (sample.find(fields.image) == nullptr) source->read(index, otherwise, sample);
}

bool ImageDataset::Impl::read_into(std::size_t index, SampleWriter& out) const {
  if (!direct) return false;
  std::array<std::span<std::byte>, Schema::kMaxFields> rows{};
  rows[direct->image] = out.bytes(LabeledImage::kImage);
  rows[direct->label] = out.bytes(LabeledImage::kLabel);
  return source->read_into(index, {rows.data(), source->schema()->size()});
}

void ImageDataset::Impl::load(std::size_t index, const StoredSample& sample, Rng& rng,
                              SampleWriter& out) const {
  const StoredField& stored = required(find_image(sample, fields.image), fields.image);
  const std::span<std::byte> row = out.bytes(LabeledImage::kImage);
  if (transforms) {
    warnings.count(load_image(stored, *transforms, decode, rng, image.output(row)), index);
  } else {
    copy_pixels(stored, image.size(), row);
  }
  out.set(LabeledImage::kLabel, integer_of(required(sample.find(fields.label), fields.label)));
}

void ImageDataset::Impl::fail(std::size_t index, const Error& error) const {
  const std::string place = source->describe(index), what = error.what();
  if (what.starts_with(place)) throw;  // the message already contains the place
  throw DataError(place, what);
}

ImageDataset::ImageDataset(std::shared_ptr<const SampleSource> source,
                           std::optional<TransformPipeline> transforms, const ImageDatasetOptions& options)
    : impl_(std::make_unique<const Impl>(std::move(source), std::move(transforms), options)) {}

ImageDataset::~ImageDataset() = default;
ImageDataset::ImageDataset(ImageDataset&&) noexcept = default;
ImageDataset& ImageDataset::operator=(ImageDataset&&) noexcept = default;

std::size_t ImageDataset::size() const {
  return impl_->source->size();
}

const Schema& ImageDataset::schema() const {
  return impl_->schema;
}

void ImageDataset::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  thread_local StoredSample sample;
  try {
    if (impl_->read_into(index, out)) return;
    impl_->read(index, sample);
    impl_->load(index, sample, rng, out);
  } catch (const SystemError&) {
    throw;  // the message contains the file's name
  } catch (const Error& error) {
    if (index >= size()) throw;
    impl_->fail(index, error);
  }
}

void ImageDataset::read_ahead(std::size_t index) const noexcept {
  impl_->source->read_ahead(index, impl_->both);
}

bool ImageDataset::reads_ahead() const noexcept {
  return impl_->source->reads_ahead();
}

std::string ImageDataset::warnings() const {
  std::string text = impl_->warnings.text([this](std::size_t index) { return describe(index); });
  if (const std::string more = impl_->source->warnings(); !more.empty()) append_warning(text, more);
  return text;
}

std::string ImageDataset::describe(std::size_t index) const {
  return impl_->source->describe(index);
}

std::optional<std::string> ImageDataset::spec() const {
  return image_spec(*impl_->source, impl_->transforms, {impl_->fields, impl_->decode});
}

std::int64_t ImageDataset::label_of(std::size_t index) const {
  thread_local StoredSample sample;
  impl_->source->read(index, impl_->label, sample);
  if (const StoredField* field = sample.find(impl_->fields.label)) return integer_of(*field);
  throw DataError(describe(index), fmt::format("it has no field '{}'", impl_->fields.label));
}

const std::vector<std::string>& ImageDataset::classes() const noexcept {
  return impl_->classes;
}

const ImageFields& ImageDataset::fields() const noexcept {
  return impl_->fields;
}

ImageWarnings::Counts ImageDataset::image_warnings() const noexcept {
  return impl_->warnings.counts();
}

const std::shared_ptr<const SampleSource>& ImageDataset::source() const noexcept {
  return impl_->source;
}

}  // namespace leat
