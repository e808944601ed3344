#include "leat/datasets/spec/transform_spec.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/spec_reader.h"

namespace leat::detail {

namespace {

using nlohmann::json;

// --- values that several transforms have ---

template <class T, std::size_t N>
void read_numbers(SpecReader& reader, const char* key, std::array<T, N>& values) {
  const json* const member = reader.find(key);
  if (member == nullptr) return;
  const auto fits = [](const json& value) {
    if constexpr (std::is_floating_point_v<T>) return value.is_number();
    return value.is_number_integer() && value.get<double>() >= double(std::numeric_limits<T>::min()) &&
           value.get<double>() <= double(std::numeric_limits<T>::max());
  };
  const bool sound = member->is_array() && member->size() == N && std::ranges::all_of(*member, fits);
  if (!sound) {
    reader.refuse(key, fmt::format("it is not an array of {} {}", N,
                                   std::is_floating_point_v<T> ? "numbers"
                                   : sizeof(T) == 1            ? "whole numbers from 0 to 255"
                                                               : "whole numbers"));
  }
  for (std::size_t i = 0; i < N; ++i) values[i] = (*member)[i].get<T>();
}

void read(SpecReader& reader, const char* key, Interval& interval) {
  std::array<double, 2> ends{interval.low, interval.high};
  read_numbers(reader, key, ends);
  interval = {ends[0], ends[1]};
}

void read(SpecReader& reader, const char* key, Rgb& color) {
  std::array<std::uint8_t, 3> channels{color.red, color.green, color.blue};
  read_numbers(reader, key, channels);
  color = {channels[0], channels[1], channels[2]};
}

void read(SpecReader& reader, const char* key, Padding& padding) {
  std::array<int, 4> sides{padding.left, padding.top, padding.right, padding.bottom};
  read_numbers(reader, key, sides);
  padding = {sides[0], sides[1], sides[2], sides[3]};
}

void read(SpecReader& reader, const char* key, Filter& filter) {
  reader.read_enum(key, filter, {Filter::box, Filter::bilinear, Filter::bicubic, Filter::lanczos},
                   [](Filter each) { return name_of(each); });
}

void read(SpecReader& reader, const char* key, FilterReach& reach) {
  reader.read_enum(key, reach, {FilterReach::crop, FilterReach::image},
                   [](FilterReach each) { return name_of(each); });
}

void read(SpecReader& reader, const char* key, PaddingMode& mode) {
  reader.read_enum(key, mode,
                   {PaddingMode::constant, PaddingMode::edge, PaddingMode::reflect, PaddingMode::symmetric},
                   [](PaddingMode each) { return name_of(each); });
}

// "size": [height, width], or one number for both.
Size read_size(SpecReader& reader) {
  const json& size = reader.require("size");
  if (size.is_number()) {
    int edge = 0;
    reader.read("size", edge);
    return {edge, edge};
  }
  std::array<int, 2> extents{};
  read_numbers(reader, "size", extents);
  return {extents[1], extents[0]};
}

double read_p(SpecReader& reader, double usual) {
  reader.read("p", usual);
  return usual;
}

json to_json(Size size) {
  return {size.height, size.width};
}
json to_json(const Interval& interval) {
  return {interval.low, interval.high};
}
json to_json(Rgb color) {
  return {color.red, color.green, color.blue};
}
json to_json(const Padding& padding) {
  return {padding.left, padding.top, padding.right, padding.bottom};
}

// --- the transforms: each reads its keys, and writes all of them ---

Transform read_resize(SpecReader& reader) {
  Resize resize(1);
  if (reader.require("size").is_number()) {
    reader.read("size", resize.short_side);
  } else {
    resize.short_side = 0;
    resize.size = read_size(reader);
  }
  read(reader, "filter", resize.filter);
  read(reader, "filter_reach", resize.filter_reach);
  return resize;
}

json written(const Resize& resize) {
  return {{"name", "Resize"},
          {"size", resize.short_side != 0 ? json(resize.short_side) : to_json(resize.size)},
          {"filter", name_of(resize.filter)},
          {"filter_reach", name_of(resize.filter_reach)}};
}

Transform read_center_crop(SpecReader& reader) {
  const Size size = read_size(reader);
  return CenterCrop(size.height, size.width);
}

json written(const CenterCrop& crop) {
  return {{"name", "CenterCrop"}, {"size", to_json(crop.size)}};
}

Transform read_random_crop(SpecReader& reader) {
  const Size size = read_size(reader);
  RandomCropOptions options;
  read(reader, "padding", options.padding);
  reader.read("pad_if_needed", options.pad_if_needed);
  read(reader, "fill", options.fill);
  read(reader, "padding_mode", options.padding_mode);
  return RandomCrop(size.height, size.width, options);
}

json written(const RandomCrop& crop) {
  return {{"name", "RandomCrop"},
          {"size", to_json(crop.size)},
          {"padding", to_json(crop.options.padding)},
          {"pad_if_needed", crop.options.pad_if_needed},
          {"fill", to_json(crop.options.fill)},
          {"padding_mode", name_of(crop.options.padding_mode)}};
}

Transform read_random_resized_crop(SpecReader& reader) {
  RandomResizedCrop crop(1);
  crop.size = read_size(reader);
  read(reader, "scale", crop.scale);
  read(reader, "ratio", crop.ratio);
  read(reader, "filter", crop.filter);
  read(reader, "filter_reach", crop.filter_reach);
  return crop;
}

json written(const RandomResizedCrop& crop) {
  return {{"name", "RandomResizedCrop"},    {"size", to_json(crop.size)},
          {"scale", to_json(crop.scale)},   {"ratio", to_json(crop.ratio)},
          {"filter", name_of(crop.filter)}, {"filter_reach", name_of(crop.filter_reach)}};
}

Transform read_pad(SpecReader& reader) {
  reader.require("padding");
  Pad pad(0);
  read(reader, "padding", pad.padding);
  read(reader, "fill", pad.fill);
  read(reader, "padding_mode", pad.mode);
  return pad;
}

json written(const Pad& pad) {
  return {{"name", "Pad"},
          {"padding", to_json(pad.padding)},
          {"fill", to_json(pad.fill)},
          {"padding_mode", name_of(pad.mode)}};
}

json with_p(const char* name, double p) {
  return {{"name", name}, {"p", p}};
}

json written(const RandomHorizontalFlip& flip) {
  return with_p("RandomHorizontalFlip", flip.p);
}
json written(const RandomVerticalFlip& flip) {
  return with_p("RandomVerticalFlip", flip.p);
}
json written(const RandomGrayscale& grayscale) {
  return with_p("RandomGrayscale", grayscale.p);
}
json written(const RandomInvert& invert) {
  return with_p("RandomInvert", invert.p);
}
json written(const RandomAutocontrast& autocontrast) {
  return with_p("RandomAutocontrast", autocontrast.p);
}
json written(const RandomEqualize& equalize) {
  return with_p("RandomEqualize", equalize.p);
}
json written(const Grayscale&) {
  return json::object({{"name", "Grayscale"}});
}

// Reads a number as an amount, which the constructor takes, or an array as the member itself.
template <class FromAmount>
void read(SpecReader& reader, const char* key, std::optional<Interval>& member,
          const FromAmount& from_amount) {
  const json* const value = reader.find(key);
  if (value == nullptr) return;
  if (value->is_number()) {
    member = from_amount(value->get<double>());
  } else {
    read(reader, key, member.emplace());
  }
}

Transform read_color_jitter(SpecReader& reader) {
  ColorJitter jitter;
  read(reader, "brightness", jitter.brightness, [](double amount) { return ColorJitter(amount).brightness; });
  read(reader, "contrast", jitter.contrast, [](double amount) { return ColorJitter(0, amount).contrast; });
  read(reader, "saturation", jitter.saturation,
       [](double amount) { return ColorJitter(0, 0, amount).saturation; });
  read(reader, "hue", jitter.hue, [](double amount) { return ColorJitter(0, 0, 0, amount).hue; });
  return jitter;
}

json written(const ColorJitter& jitter) {
  json object = json::object({{"name", "ColorJitter"}});
  if (jitter.brightness) object["brightness"] = to_json(*jitter.brightness);
  if (jitter.contrast) object["contrast"] = to_json(*jitter.contrast);
  if (jitter.saturation) object["saturation"] = to_json(*jitter.saturation);
  if (jitter.hue) object["hue"] = to_json(*jitter.hue);
  return object;
}

Transform read_posterize(SpecReader& reader) {
  const int bits = reader.read_required<int>("bits");
  return RandomPosterize(bits, read_p(reader, 0.5));
}

json written(const RandomPosterize& posterize) {
  return {{"name", "RandomPosterize"}, {"bits", posterize.bits}, {"p", posterize.p}};
}

Transform read_solarize(SpecReader& reader) {
  const int threshold = reader.read_required<int>("threshold");
  return RandomSolarize(threshold, read_p(reader, 0.5));
}

json written(const RandomSolarize& solarize) {
  return {{"name", "RandomSolarize"}, {"threshold", solarize.threshold}, {"p", solarize.p}};
}

Transform read_sharpness(SpecReader& reader) {
  const double factor = reader.read_required<double>("sharpness_factor");
  return RandomAdjustSharpness(factor, read_p(reader, 0.5));
}

json written(const RandomAdjustSharpness& sharpness) {
  return {{"name", "RandomAdjustSharpness"},
          {"sharpness_factor", sharpness.sharpness_factor},
          {"p", sharpness.p}};
}

Transform read_rand_augment(SpecReader& reader) {
  RandAugment augment;
  reader.read("num_ops", augment.num_ops);
  reader.read("magnitude", augment.magnitude);
  reader.read("num_magnitude_bins", augment.num_magnitude_bins);
  read(reader, "fill", augment.fill);
  return augment;
}

json written(const RandAugment& augment) {
  return {{"name", "RandAugment"},
          {"num_ops", augment.num_ops},
          {"magnitude", augment.magnitude},
          {"num_magnitude_bins", augment.num_magnitude_bins},
          {"fill", to_json(augment.fill)}};
}

Transform read_erasing(SpecReader& reader) {
  RandomErasing erasing(read_p(reader, 0.5));
  read(reader, "scale", erasing.scale);
  read(reader, "ratio", erasing.ratio);
  read(reader, "value", erasing.value);
  return erasing;
}

json written(const RandomErasing& erasing) {
  return {{"name", "RandomErasing"},
          {"p", erasing.p},
          {"scale", to_json(erasing.scale)},
          {"ratio", to_json(erasing.ratio)},
          {"value", to_json(erasing.value)}};
}

Transform read_normalize(SpecReader& reader) {
  Normalize normalize(kImageNetMean, kImageNetStd);
  reader.require("mean");
  reader.require("std");
  read_numbers(reader, "mean", normalize.mean);
  read_numbers(reader, "std", normalize.std);
  return normalize;
}

json written(const Normalize& normalize) {
  return {{"name", "Normalize"}, {"mean", normalize.mean}, {"std", normalize.std}};
}

using Read = Transform (*)(SpecReader&);

template <class T>
Transform read_with_p(SpecReader& reader) {
  return T(read_p(reader, T().p));
}

constexpr std::array<std::pair<std::string_view, Read>, std::variant_size_v<Transform>> kReaders{
    {{"Resize", read_resize},
     {"CenterCrop", read_center_crop},
     {"RandomCrop", read_random_crop},
     {"RandomResizedCrop", read_random_resized_crop},
     {"Pad", read_pad},
     {"RandomHorizontalFlip", read_with_p<RandomHorizontalFlip>},
     {"RandomVerticalFlip", read_with_p<RandomVerticalFlip>},
     {"ColorJitter", read_color_jitter},
     {"Grayscale", [](SpecReader&) -> Transform { return Grayscale{}; }},
     {"RandomGrayscale", read_with_p<RandomGrayscale>},
     {"RandomInvert", read_with_p<RandomInvert>},
     {"RandomPosterize", read_posterize},
     {"RandomSolarize", read_solarize},
     {"RandomAutocontrast", read_with_p<RandomAutocontrast>},
     {"RandomEqualize", read_with_p<RandomEqualize>},
     {"RandomAdjustSharpness", read_sharpness},
     {"RandAugment", read_rand_augment},
     {"RandomErasing", read_erasing},
     {"Normalize", read_normalize}}};

Transform transform_from(const json& object, const std::string& place) {
  SpecReader reader(object, place);
  const std::string wanted = reader.read_required<std::string>("name");
  std::string known;
  for (const auto& [name, read] : kReaders) {
    if (name == wanted) {
      try {
        Transform transform = read(reader);
        reader.finish();
        [[maybe_unused]] const TransformPipeline checked({transform});
        return transform;
      } catch (const ArgumentError& error) {
        const std::string what = error.what();
        throw ArgumentError(what.starts_with(place) ? what : fmt::format("{}: {}", place, what));
      }
    }
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  reader.refuse("name", fmt::format("'{}' is not a transform; known are {}", wanted, known));
}

}  // namespace

json to_json(const TransformPipeline& transforms) {
  json array = json::array();
  for (const Transform& transform : transforms.transforms())
    array.push_back(std::visit([](const auto& each) { return written(each); }, transform));
  return array;
}

TransformPipeline transforms_from(const json& array, const std::string& place) {
  if (!array.is_array())
    throw ArgumentError(fmt::format("{}: it is {}, not an array", place, array.type_name()));
  std::vector<Transform> transforms;
  for (const json& object : array)
    transforms.push_back(transform_from(object, fmt::format("{}[{}]", place, transforms.size())));
  try {
    return TransformPipeline(std::move(transforms));
  } catch (const ArgumentError& error) {
    throw ArgumentError(fmt::format("{}: {}", place, error.what()));
  }
}

}  // namespace leat::detail
