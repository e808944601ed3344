#include "tools/convert/sources.h"

#include <fmt/format.h>

#include "tools/common/command_line.h"
#include "tools/convert/progress.h"

namespace leat::tools {

namespace {

void tell(const std::string& line) {
  fmt::print(stderr, "{}\n", line);
}

}  // namespace

std::vector<NamedSource> sources_of(const std::string& uri, const std::optional<std::string>& split) {
  return sources_of(uri, split, tell);
}

std::string path_of(const std::string& uri) {
  return path_of(uri, tell);
}

std::unique_ptr<RecordConversion> open_source(const SourceLocation& location, const SourceOptions& options) {
  SourceLocation reading = location;
  reading.is_sequential = true;
  if (options.allow_empty) accept_empty_classes(reading);
  return opening([&] {
    const auto source = detail::open_source(reading);
    RecordConversionOptions how{.image_field = options.image_field};
    if (options.tells_progress && source->schema() == nullptr) {
      auto progress = std::make_shared<Progress>("reading through", source->size());
      how.on_progress = [progress](std::size_t done) { progress->update(done, 0); };
    }
    return std::make_unique<RecordConversion>(source, how);
  });
}

std::vector<std::string> warnings_of(const RecordConversion& source, const ImageWarnings& images) {
  std::vector<std::string> sentences{images.text([&](std::size_t index) { return source.describe(index); }),
                                     source.warnings()};
  std::erase(sentences, "");
  return sentences;
}

std::string describe(const SourceLocation& location) {
  switch (location.format) {
    case SourceFormat::records:
      return "leat records";
    case SourceFormat::image_folder:
      return "an image folder";
    default:
      return fmt::format("a source in the format {}", name_of(location.format));
  }
}

}  // namespace leat::tools
