#include "tools/convert/conversion.h"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "datasets/shards/plan_compression.h"
#include "datasets/shards/shard_set_writer.h"
#include "tools/common/command_line.h"
#include "tools/convert/destination.h"
#include "tools/convert/output_check.h"
#include "tools/convert/progress.h"
#include "tools/convert/recoder.h"
#include "tools/convert/sources.h"
#include "tools/convert/target_format.h"

namespace leat::tools {
namespace {

namespace fs = std::filesystem;

// One sample on its way through the pipeline.
struct Outcome {
  std::size_t index = 0;
  std::size_t read_bytes = 0;
  std::variant<EncodedSample, BadSample> result;
};

// Reads, recodes and writes. The three steps of the pipeline are its functions read(), encode() and write(); all but
// encode() run one at a time, in order.
class Conversion {
 public:
  Conversion(const ConversionSource& source, const Recoder& recoder, const ShardFormat& format,
             const ConvertOptions& options, const fs::path& folder, ResumeState state)
      : source_(source),
        recoder_(recoder),
        format_(format),
        skip_errors_(options.skip_errors),
        folder_(folder),
        state_(std::move(state)),
        writer_(folder, format, options.shard_bytes, state_.shards,
                [this](const std::vector<ShardSummary>& shards) { save(shards); }),
        first_(state_.next),
        progress_("converting", source.size() - state_.next) {}

  void run(int workers) {
    namespace tbb = oneapi::tbb;
    const auto threads = static_cast<std::size_t>(workers);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    tbb::task_arena arena(workers);
    // Two samples for each worker in memory: one in hand, one waiting for its turn to be written.
    arena.execute([&] {
      tbb::parallel_pipeline(
          2 * threads,
          tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order,
                                              [this](tbb::flow_control& flow) { return next(flow); }) &
              tbb::make_filter<std::size_t, Outcome>(tbb::filter_mode::parallel,
                                                     [this](std::size_t index) { return encode(index); }) &
              tbb::make_filter<Outcome, void>(tbb::filter_mode::serial_in_order,
                                              [this](Outcome outcome) { write(std::move(outcome)); }));
    });
    state_.next = source_.size();
    writer_.finish();
  }

  const std::vector<ShardSummary>& shards() const { return writer_.shards(); }
  const std::vector<BadSample>& skipped() const { return state_.skipped; }
  std::uint64_t read_bytes() const { return read_bytes_; }

 private:
  std::size_t next(oneapi::tbb::flow_control& flow) {
    if (next_ == source_.size() - first_) {
      flow.stop();
      return 0;
    }
    return first_ + next_++;
  }

  Outcome encode(std::size_t index) const {
    Outcome outcome{index, 0, {}};
    try {
      ConversionSample sample = source_.read(index);
      outcome.read_bytes = bytes_of(sample);
      outcome.result = format_.encode(recoder_.apply(std::move(sample)), index);
    } catch (const Error& error) {
      outcome.result = BadSample{index, source_.describe(index), error.what()};
    }
    return outcome;
  }

  void write(Outcome outcome) {
    state_.next = outcome.index;
    if (auto* const bad = std::get_if<BadSample>(&outcome.result)) {
      refuse(std::move(*bad));
    } else {
      add(outcome.index, std::move(std::get<EncodedSample>(outcome.result)));
    }
    read_bytes_ += outcome.read_bytes;
    progress_.update(outcome.index - first_ + 1, read_bytes_);
  }

  void add(std::size_t index, EncodedSample sample) {
    try {
      writer_.add(std::move(sample));
    } catch (const ArgumentError& error) {
      refuse({index, source_.describe(index), error.what()});
    }
  }

  void refuse(BadSample bad) {
    if (!skip_errors_) throw DataError(bad.source, fmt::format("sample {}: {}", bad.index, bad.reason));
    state_.skipped.push_back(std::move(bad));
  }

  void save(const std::vector<ShardSummary>& shards) {
    state_.shards = shards;
    save_state(folder_, state_);
  }

  const ConversionSource& source_;
  const Recoder& recoder_;
  const ShardFormat& format_;
  const bool skip_errors_;
  const fs::path folder_;
  ResumeState state_;
  ShardSetWriter writer_;
  const std::size_t first_;  // sample of this run
  std::size_t next_ = 0;     // of them, taken
  std::uint64_t read_bytes_ = 0;
  Progress progress_;
};

// `exists`: it is there from an earlier run.
ResumeState begin(const ConversionSource& source, const ConvertOptions& options, const fs::path& folder,
                  bool exists) {
  const std::string job = describe_job(source, options);
  if (exists) return load_state(folder, job);
  ResumeState state{job, {}, 0, {}};
  save_state(folder, state);
  return state;
}

void publish(const fs::path& folder, const fs::path& destination) {
  remove_state(folder);
  sync_folder(folder);
  fs::rename(folder, destination);
  sync_folder(folder.parent_path());
}

ConversionResult convert_to(const ConversionSource& source, const ConvertOptions& options,
                            const fs::path& folder) {
  const Recoder recoder(source.schema(), options);
  const TargetFormat target = make_target(source, recoder, options);
  const bool exists = fs::exists(folder);
  const FolderLock lock(folder);
  ResumeState state = begin(source, options, folder, exists);
  ConversionResult result;
  for (const ShardSummary& shard : state.shards) result.resumed += shard.samples;
  {
    Conversion conversion(source, recoder, *target.format, options, folder, std::move(state));
    conversion.run(options.workers);
    for (const ShardSummary& shard : conversion.shards()) {
      result.samples += shard.samples;
      result.written_bytes += shard.bytes;
    }
    result.shards = conversion.shards().size();
    result.read_bytes = conversion.read_bytes();
    result.skipped = conversion.skipped();
    if (result.samples == 0 && !result.skipped.empty()) {
      const BadSample& first = result.skipped.front();
      throw DataError(options.source, fmt::format("all of its {} samples are bad; the first, {}: {}",
                                                  result.skipped.size(), first.source, first.reason));
    }
    if (options.verify) check_output(folder, conversion.shards(), options.to);
  }
  result.compression = target.compression;
  return result;
}

}  // namespace

ConversionResult convert(const ConvertOptions& options) {
  try {
    const Destination destination = find_destination(options);
    const std::unique_ptr<ConversionSource> source = open_source(find_source(options.source), options.part);
    ConversionResult result = convert_to(*source, options, destination.partial);
    publish(destination.partial, destination.folder);
    return result;
  } catch (const fs::filesystem_error& error) {
    throw SystemError(error.what(), error.code().value());
  }
}

}  // namespace leat::tools
