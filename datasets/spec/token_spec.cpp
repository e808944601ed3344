#include "leat/datasets/spec/token_spec.h"

#include "leat/datasets/io/absolute_path.h"
#include "leat/datasets/io/index_spec.h"

namespace leat::detail {

std::optional<std::string> token_spec(const std::string& path, const TokenOptions& options) {
  nlohmann::json how{{"stored", name_of(options.stored)},
                     {"delivered", name_of(options.delivered)},
                     {"length", options.length}};
  if (options.stride) how["stride"] = *options.stride;
  if (options.end_of_document) how["end_of_document"] = *options.end_of_document;
  if (!options.document_starts.empty())
    how["document_starts"] = absolute_path(options.document_starts.string());
  write_index_options(options.index, how);
  return spec_text({{"version", 1}, {"source", "tokens:" + absolute_path(path)}, {"options", how}});
}

TokenOptions read_token_options(SpecReader& reader, const WarningHandler& on_warning) {
  TokenOptions options{.index = read_index_options(reader, on_warning)};
  const auto dtype_name = [](DType dtype) { return name_of(dtype); };
  reader.read_enum("stored", options.stored, {DType::u16, DType::u32}, dtype_name);
  reader.read_enum("delivered", options.delivered, {DType::u16, DType::i32, DType::u32, DType::i64},
                   dtype_name);
  reader.read("length", options.length);
  if (reader.has("stride")) reader.read("stride", options.stride.emplace());
  if (reader.has("end_of_document")) reader.read("end_of_document", options.end_of_document.emplace());
  std::string starts;
  reader.read("document_starts", starts);
  options.document_starts = starts;
  return options;
}

}  // namespace leat::detail
