#include "tools/train/checkpoint.h"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <span>
#include <string_view>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/byte_writer.h"
#include "leat/datasets/io/durable_file.h"
#include "leat/datasets/io/json_fields.h"
#include "leat/datasets/io/read_file.h"
#include "leat/datasets/io/xxh3.h"
#include "tools/common/command_line.h"

namespace leat::tools {

using namespace detail;
using nlohmann::json;

namespace {

constexpr std::string_view kMagic = "leatckpt";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMaxBytes = std::size_t{64} << 30;
constexpr std::size_t kStartBytes = kMagic.size() + 2 * sizeof(std::uint32_t);

static_assert(std::endian::native == std::endian::little, "values are written as they are in memory");

json to_json(const EpochFigures& figures) {
  return {{"loss", figures.loss},
          {"accuracy", figures.accuracy},
          {"seconds", figures.seconds},
          {"samples_per_second", figures.samples_per_second},
          {"data_wait_share", figures.data_wait_share}};
}

double real_member(const json& object, const char* key, const std::string& source) {
  const json& value = member(object, key, source);
  if (!value.is_number()) throw DataError(source, fmt::format("\"{}\" is not a number", key));
  return value.get<double>();
}

EpochFigures figures_of(const json& object, const std::string& source) {
  return {.loss = real_member(object, "loss", source),
          .accuracy = real_member(object, "accuracy", source),
          .seconds = real_member(object, "seconds", source),
          .samples_per_second = real_member(object, "samples_per_second", source),
          .data_wait_share = real_member(object, "data_wait_share", source)};
}

std::string header_of(const Checkpoint& checkpoint) {
  json settings = json::object();
  for (const JobSetting& each : checkpoint.settings) settings[each.name] = each.value;
  json epochs = json::array();
  for (const EpochReport& each : checkpoint.epochs)
    epochs.push_back({{"train", to_json(each.train)}, {"test", to_json(each.test)}});
  const EpochProgress& progress = checkpoint.progress;
  return to_text({{"settings", settings},
                  {"epochs", epochs},
                  {"steps", progress.steps},
                  {"loss", progress.sums.loss},
                  {"correct", progress.sums.correct},
                  {"rows", progress.sums.rows},
                  {"loader", progress.steps == 0 ? "" : checkpoint.loader.to_json()},
                  {"parameters", checkpoint.model.values.size()}});
}

// Returns the checkpoint without the model, and the number of the model's parameters.
std::pair<Checkpoint, std::uint64_t> from_header(std::string_view text, const std::string& source) {
  const json header = parse_json_object(text, source);
  Checkpoint checkpoint;
  for (const auto& [name, value] : member(header, "settings", source).items()) {
    if (!value.is_string()) throw DataError(source, fmt::format("setting \"{}\" is not a string", name));
    checkpoint.settings.push_back({name, value.get<std::string>()});
  }
  for (const json& each : array_member(header, "epochs", source)) {
    checkpoint.epochs.push_back({.train = figures_of(member(each, "train", source), source),
                                 .test = figures_of(member(each, "test", source), source)});
  }
  checkpoint.progress = {.steps = number_member(header, "steps", source),
                         .sums = {.loss = real_member(header, "loss", source),
                                  .correct = number_member(header, "correct", source),
                                  .rows = number_member(header, "rows", source)}};
  if (checkpoint.progress.steps > 0)
    checkpoint.loader = LoaderState::from_json(string_member(header, "loader", source));
  return {std::move(checkpoint), number_member(header, "parameters", source)};
}

std::span<const std::byte> bytes_of(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

std::vector<float> take_floats(ByteReader& reader, std::uint64_t count) {
  const std::span<const std::byte> bytes = reader.take(checked_multiply(count, sizeof(float)));
  std::vector<float> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  const std::string header = header_of(checkpoint);
  std::vector<std::byte> start;
  append_text(start, kMagic);
  append_little(start, kVersion);
  append_little(start, static_cast<std::uint32_t>(header.size()));
  append_text(start, header);
  DurableFile out(std::filesystem::absolute(file));
  out.write(start);
  out.pad_to(kAlignment);
  out.write(bytes_of(checkpoint.model.values));
  out.write(bytes_of(checkpoint.model.velocities));
  std::vector<std::byte> end;
  append_little(end, out.checksum());
  out.write(end);
  out.commit();
}

std::optional<StoredCheckpoint> read_checkpoint(const std::filesystem::path& file) {
  std::vector<std::byte> bytes;
  try {
    read_file(file, kMaxBytes, bytes);
  } catch (const SystemError& error) {
    if (error.code() == ENOENT) return std::nullopt;
    throw;
  }
  const std::string source = file.string();
  ByteReader reader(bytes, source);
  if (reader.remaining() < kStartBytes || reader.text(kMagic.size()) != kMagic)
    throw DataError(source, "it is not a checkpoint of leat-train");
  if (const auto version = reader.little<std::uint32_t>(); version != kVersion) {
    throw DataError(source, fmt::format("it is a checkpoint of version {}; this program reads version {}",
                                        version, kVersion));
  }
  const std::span<const std::byte> all = bytes;
  const std::size_t content = all.size() - sizeof(std::uint64_t);
  ByteReader end(all.subspan(content), source, content);
  const std::uint64_t checksum = xxh3(all.first(content));
  if (end.little<std::uint64_t>() != checksum)
    throw DataError(source, "it is damaged or cut off: its checksum is wrong");

  const std::string_view header = reader.text(reader.little<std::uint32_t>());
  auto [checkpoint, parameters] = from_header(header, source);
  reader.take(align_up(reader.offset(), kAlignment) - reader.offset());
  checkpoint.model.values = take_floats(reader, parameters);
  checkpoint.model.velocities = take_floats(reader, parameters);
  if (reader.remaining() != sizeof(std::uint64_t)) reader.fail("there are more bytes than parameters");
  return StoredCheckpoint{.checkpoint = std::move(checkpoint), .checksum = fmt::format("{:016x}", checksum)};
}

void check_same_run(const std::filesystem::path& file, const Checkpoint& checkpoint,
                    const std::vector<JobSetting>& settings) {
  std::map<std::string, std::string> stored;
  for (const JobSetting& each : checkpoint.settings) stored[each.name] = each.value;
  std::string differences;
  for (const JobSetting& each : settings) {
    const std::string before = stored.contains(each.name) ? stored[each.name] : "not known";
    if (before == each.value) continue;
    differences += fmt::format("{}{} was \"{}\" and is \"{}\"", differences.empty() ? "" : "; ", each.name,
                               before, each.value);
  }
  if (differences.empty()) return;
  throw UsageError(fmt::format("the checkpoint '{}' is of another run: {}", file.string(), differences));
}

}  // namespace leat::tools
