#include "leat/datasets/spec/image_spec.h"

#include "leat/datasets/errors.h"
#include "leat/datasets/spec/transform_spec.h"

namespace leat::detail {

namespace {

using nlohmann::json;

json to_json(const DecodeOptions& decode) {
  return {
      {"max_pixels", decode.limits.max_pixels},      {"max_decoder_bytes", decode.limits.max_decoder_bytes},
      {"max_scans", decode.limits.max_scans},        {"allow_corrupt", decode.limits.allow_corrupt},
      {"exif_orientation", decode.exif_orientation}, {"reducing_gap", decode.reducing_gap}};
}

DecodeOptions read_decode(const json& object, const std::string& place) {
  SpecReader reader(object, place);
  DecodeOptions decode;
  reader.read("max_pixels", decode.limits.max_pixels);
  reader.read("max_decoder_bytes", decode.limits.max_decoder_bytes);
  reader.read("max_scans", decode.limits.max_scans);
  reader.read("allow_corrupt", decode.limits.allow_corrupt);
  reader.read("exif_orientation", decode.exif_orientation);
  reader.read("reducing_gap", decode.reducing_gap);
  reader.finish();
  return decode;
}

ImageFields read_fields(const json& object, const std::string& place) {
  SpecReader reader(object, place);
  ImageFields fields;
  reader.read("image", fields.image);
  reader.read("label", fields.label);
  reader.finish();
  return fields;
}

}  // namespace

std::optional<std::string> image_spec(const SampleSource& source,
                                      const std::optional<TransformPipeline>& transforms,
                                      const ImageDatasetOptions& options) {
  if (!source.spec()) return std::nullopt;
  json object = parse_spec(*source.spec());
  object["fields"] = {{"image", options.fields.image}, {"label", options.fields.label}};
  if (transforms) object["transforms"] = to_json(*transforms);
  object["decode"] = to_json(options.decode);
  return spec_text(object);
}

std::optional<ImageSpec> read_image_spec(SpecReader& reader) {
  const json* const transforms = reader.find("transforms");
  const json* const fields = reader.find("fields");
  const json* const decode = reader.find("decode");
  if (transforms == nullptr && fields == nullptr && decode == nullptr) return std::nullopt;
  ImageSpec spec;
  if (transforms != nullptr) spec.transforms = transforms_from(*transforms, reader.place_of("transforms"));
  if (fields != nullptr) spec.options.fields = read_fields(*fields, reader.place_of("fields"));
  if (decode != nullptr) spec.options.decode = read_decode(*decode, reader.place_of("decode"));
  return spec;
}

}  // namespace leat::detail
