#include "tests/datasets/support/mds_bytes.h"

#include <fmt/format.h>
#include <zstd.h>

#include "leat/datasets/errors.h"
#include "tests/datasets/support/file_bytes.h"

namespace leat::test {

namespace {

std::string config_members(const MdsColumns& columns, std::string_view compression) {
  return fmt::format(
      R"("column_encodings": {}, "column_names": {}, "column_sizes": {}, "compression": {}, "format": "mds", )"
      R"("hashes": [], )",
      columns.encodings, columns.names, columns.sizes, compression);
}

}  // namespace

std::string mds_shard(const MdsColumns& columns, const std::vector<std::string>& bodies) {
  const std::string config =
      "{" + config_members(columns, "null") + R"("size_limit": 67108864, "version": 2})";
  FileBytes shard;
  shard.u32(static_cast<std::uint32_t>(bodies.size()));
  auto offset = static_cast<std::uint32_t>(4 + 4 * (bodies.size() + 1) + config.size());
  shard.u32(offset);
  for (const std::string& body : bodies) shard.u32(offset += static_cast<std::uint32_t>(body.size()));
  shard.text(config);
  for (const std::string& body : bodies) shard.text(body);
  return shard.str();
}

std::string mds_entry(const MdsColumns& columns, std::size_t samples, std::string_view name,
                      std::size_t bytes, std::size_t zip_bytes) {
  const std::string zip =
      zip_bytes == 0
          ? "null"
          : fmt::format(R"({{"basename": "{}.zstd", "bytes": {}, "hashes": {{}}}})", name, zip_bytes);
  return fmt::format(
      R"({{{}"raw_data": {{"basename": "{}", "bytes": {}, "hashes": {{}}}}, "samples": {}, "size_limit": 67108864, )"
      R"("version": 2, "zip_data": {}}})",
      config_members(columns, zip_bytes == 0 ? "null" : R"("zstd:3")"), name, bytes, samples, zip);
}

std::string mds_index(const std::vector<std::string>& entries) {
  return fmt::format(R"({{"shards": [{}], "version": 2}})", fmt::join(entries, ", "));
}

MdsColumns vector_columns() {
  return {.names = R"(["x", "y"])", .encodings = R"(["bytes", "int"])", .sizes = "[null, 8]"};
}

std::vector<std::string> vector_bodies() {
  return {FileBytes().u32(2).text("hi").u64(7).str(), FileBytes().u32(3).text("abc").u64(~0ULL).str()};
}

std::string zstd_compressed(std::string_view content) {
  std::string out(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3);
  if (ZSTD_isError(size)) throw Error("ZSTD_compress");
  out.resize(size);
  return out;
}

}  // namespace leat::test
