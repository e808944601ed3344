#include "tools/convert/json_output.h"

#include <utility>

namespace leat::tools {
namespace {

using nlohmann::ordered_json;

const char* name_of(Target target) {
  switch (target) {
    case Target::leat:
      return "leat";
    case Target::webdataset:
      return "webdataset";
    case Target::mds:
      return "mds";
  }
  return "";
}

ordered_json set_json(const ConversionResult& result) {
  ordered_json skipped = ordered_json::array();
  for (const BadSample& bad : result.skipped) {
    skipped.push_back({{"index", bad.index}, {"source", bad.source}, {"reason", bad.reason}});
  }
  return {{"split", split_json(result.split)},
          {"finished_before", result.was_finished},
          {"samples", result.samples},
          {"resumed", result.resumed},
          {"shards", result.shards},
          {"read_bytes", result.read_bytes},
          {"written_bytes", result.written_bytes},
          {"seconds", result.seconds},
          {"compression", result.compression},
          {"skipped", std::move(skipped)},
          {"warnings", result.warnings}};
}

}  // namespace

std::string json_text(const ordered_json& json) {
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

ordered_json split_json(const std::string& split) {
  return split.empty() ? ordered_json() : ordered_json(split);
}

std::string to_json(const ConvertOptions& options, std::span<const ConversionResult> results) {
  ordered_json sets = ordered_json::array();
  for (const ConversionResult& result : results) sets.push_back(set_json(result));
  return json_text({{"command", "convert"},
                    {"source", options.source},
                    {"destination", options.destination.string()},
                    {"format", name_of(options.to)},
                    {"sets", std::move(sets)}});
}

}  // namespace leat::tools
