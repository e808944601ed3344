#include "leat/datasets/formats/records/plan_compression.h"

#include "leat/datasets/formats/records/body_layout.h"

namespace leat::detail {

Compression plan_compression(const RecordSchema& schema, const RecordWriterOptions& options,
                             std::span<const Record> first) {
  if (options.zstd == RecordWriterOptions::Zstd::off) return {};
  const BodyLayout layout(schema.fields(), options.alignment);
  std::vector<std::vector<std::byte>> bodies;
  for (const Record& sample : first) layout.encode(sample.fields, bodies.emplace_back());
  Compression measured = measure_compression(bodies, options.zstd_level);
  if (options.zstd == RecordWriterOptions::Zstd::automatic || measured.on) return measured;
  return {true, options.zstd_level, {}};
}

bool enough_to_plan(std::size_t samples, std::size_t bytes) {
  return samples >= kMeasuredRecords || bytes >= kMeasuredBytes;
}

std::size_t bytes_of(const Record& sample) {
  std::size_t bytes = 0;
  for (const auto& field : sample.fields) bytes += field.size();
  return bytes;
}

}  // namespace leat::detail
