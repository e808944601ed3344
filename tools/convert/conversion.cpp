#include "tools/convert/conversion.h"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include "leat/datasets/base/error_text.h"
#include "leat/datasets/formats/records/plan_compression.h"
#include "leat/datasets/formats/shard_set_writer.h"
#include "leat/datasets/formats/splits.h"
#include "leat/datasets/image_warnings.h"
#include "tools/common/command_line.h"
#include "tools/convert/destination.h"
#include "tools/convert/output_check.h"
#include "tools/convert/progress.h"
#include "tools/convert/recoder.h"
#include "tools/convert/resume_state.h"
#include "tools/convert/sources.h"
#include "tools/convert/target_format.h"

namespace leat::tools {

using namespace detail;

namespace {

namespace fs = std::filesystem;

// The result of reading and encoding one sample.
struct Outcome {
  std::size_t index = 0;
  std::size_t read_bytes = 0;
  std::variant<EncodedSample, BadSample> result;
};

// A sample to encode. It is read already if the source must be read in order.
struct Input {
  std::size_t index = 0;
  std::optional<std::variant<Record, BadSample>> sample = {};
};

// Reads, recodes and writes. The three steps of the pipeline are the functions next(), encode() and write(). next()
// and write() run one at a time, in order; encode() runs in parallel.
class Conversion {
 public:
  Conversion(const RecordConversion& source, const Recoder& recoder, const ShardWriter& format,
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
    tbb::task_arena pool(workers);
    // Keeps two samples per worker in memory: one in work, one waiting for its turn to be written.
    pool.execute([&] {
      tbb::parallel_pipeline(
          2 * threads,
          tbb::make_filter<void, Input>(tbb::filter_mode::serial_in_order, [this](tbb::flow_control& flow) {
            return next(flow);
          }) & tbb::make_filter<Input, Outcome>(tbb::filter_mode::parallel, [this](Input input) {
            return encode(std::move(input));
          }) & tbb::make_filter<Outcome, void>(tbb::filter_mode::serial_in_order, [this](Outcome outcome) {
            write(std::move(outcome));
          }));
    });
    state_.next = source_.size();
    writer_.finish();
  }

  const std::vector<ShardSummary>& shards() const { return writer_.shards(); }
  const std::vector<BadSample>& skipped() const { return state_.skipped; }
  std::uint64_t read_bytes() const { return read_bytes_; }
  std::vector<std::string> warnings() const { return warnings_of(source_, warnings_); }

 private:
  Input next(oneapi::tbb::flow_control& flow) {
    if (next_ == source_.size() - first_) {
      flow.stop();
      return {};
    }
    Input input{first_ + next_++};
    if (source_.is_sequential()) input.sample = read(input.index);
    return input;
  }

  std::variant<Record, BadSample> read(std::size_t index) const {
    try {
      return source_.read(index);
    } catch (const Error& error) {
      return bad_sample(index, error);
    }
  }

  Outcome encode(Input input) const {
    Outcome outcome{input.index, 0, {}};
    if (!input.sample) input.sample = read(input.index);
    if (auto* const bad = std::get_if<BadSample>(&*input.sample)) {
      outcome.result = std::move(*bad);
      return outcome;
    }
    auto& sample = std::get<Record>(*input.sample);
    outcome.read_bytes = bytes_of(sample);
    try {
      DecodeWarnings warnings;
      outcome.result = format_.encode(recoder_.apply(std::move(sample), warnings), input.index);
      warnings_.count(warnings, input.index);
    } catch (const Error& error) {
      outcome.result = bad_sample(input.index, error);
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
      refuse(bad_sample(index, error));
    }
  }

  BadSample bad_sample(std::size_t index, const Error& error) const {
    std::string source = source_.describe(index);
    std::string reason(without_source(error.what(), source));
    return {index, std::move(source), std::move(reason)};
  }

  void refuse(BadSample bad) {
    if (!skip_errors_) throw DataError(bad.source, fmt::format("sample {}: {}", bad.index, bad.reason));
    state_.skipped.push_back(std::move(bad));
  }

  void save(const std::vector<ShardSummary>& shards) {
    state_.shards = shards;
    save_state(folder_, state_);
  }

  const RecordConversion& source_;
  const Recoder& recoder_;
  const ShardWriter& format_;
  const bool skip_errors_;
  const fs::path folder_;
  ResumeState state_;
  ShardSetWriter writer_;
  const std::size_t first_;  // first sample of this run
  std::size_t next_ = 0;     // samples of this run that were taken
  std::uint64_t read_bytes_ = 0;
  ImageWarnings warnings_;
  Progress progress_;
};

// The conversion of one split.
struct Job {
  std::string split;
  SourceLocation location;
  std::unique_ptr<RecordConversion> source;
  std::unique_ptr<Recoder> recoder;
  TargetFormat target;
};

// Throws UsageError if the splits' classes differ, because a label would not mean the same in all of them.
void require_same_classes(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    const auto &first = jobs.front().source->schema().classes(), &here = job.source->schema().classes();
    if (here == first) continue;
    throw UsageError(fmt::format(
        "the classes of {}/ and {}/ differ ({} and {} of them), so their labels would not mean the same: "
        "make them equal, or convert one alone with --split",
        jobs.front().split, job.split, first.size(), here.size()));
  }
}

// Tells the user which folders beside the splits are left out, before hours of work.
void tell_left_out(const ConvertOptions& options, const std::vector<Job>& jobs) {
  if (jobs.front().split.empty()) return;
  std::vector<std::string> splits;
  for (const Job& job : jobs) splits.push_back(job.split);
  const fs::path folder = path_of(options.source);
  for (const std::string& name : left_out(folder, splits)) {
    fmt::print(stderr, "left out: {}, which holds images, but is no split with class folders\n",
               (folder / name).string());
  }
}

// Opens all splits before anything is written, because most errors are found here.
std::vector<Job> open_jobs(const ConvertOptions& options) {
  std::vector<Job> jobs;
  for (NamedSource& named : sources_of(options.source, options.split)) {
    Job job{std::move(named.split), std::move(named.location), {}, {}, {}};
    job.source = open_source(
        job.location,
        {.image_field = options.image_field, .tells_progress = true, .allow_empty = options.allow_empty});
    job.recoder = std::make_unique<Recoder>(job.source->schema(), options);
    jobs.push_back(std::move(job));
  }
  require_same_classes(jobs);
  tell_left_out(options, jobs);
  for (Job& job : jobs) job.target = make_target(*job.source, *job.recoder, options);
  return jobs;
}

ResumeState begin(const Job& job, const ConvertOptions& options, const fs::path& folder) {
  const std::string text = describe_job(*job.source, job.location, options);
  if (!holds_no_work(folder)) {
    ResumeState state = load_state(folder, text);
    if (!state.skipped.empty() && !options.skip_errors) {
      throw UsageError(fmt::format(
          "{} was begun with --on-error skip and lacks {} bad sample{}: resume it with --on-error skip, or "
          "remove it and start again",
          folder.string(), state.skipped.size(), state.skipped.size() == 1 ? "" : "s"));
    }
    if (options.verify && !state.verify) {
      state.verify = true;
      save_state(folder, state);
    }
    return state;
  }
  ResumeState state{text, {}, 0, {}, options.verify};
  save_state(folder, state);
  return state;
}

ConversionResult run(const Job& job, const ConvertOptions& options, const fs::path& folder) {
  const auto start = std::chrono::steady_clock::now();
  ConversionResult result;
  result.split = job.split;
  ResumeState state = begin(job, options, folder);
  for (const ShardSummary& shard : state.shards) result.resumed += shard.samples;
  const bool verify = state.verify;
  Conversion conversion(*job.source, *job.recoder, *job.target.format, options, folder, std::move(state));
  conversion.run(options.workers);
  for (const ShardSummary& shard : conversion.shards()) {
    result.samples += shard.samples;
    result.written_bytes += shard.bytes;
  }
  result.shards = conversion.shards().size();
  result.read_bytes = conversion.read_bytes();
  result.skipped = conversion.skipped();
  result.warnings = conversion.warnings();
  if (result.samples == 0 && !result.skipped.empty()) {
    const BadSample& first = result.skipped.front();
    throw DataError(options.source, fmt::format("all of its {} samples are bad; the first, {}: {}",
                                                result.skipped.size(), first.source, first.reason));
  }
  if (verify) check_output(folder, conversion.shards(), options.to);
  result.compression = job.target.compression;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace

std::vector<ConversionResult> convert(const ConvertOptions& options) {
  try {
    WorkFolder work(find_destination(options), options.resume);
    const std::vector<Job> jobs = open_jobs(options);
    std::vector<std::string> splits;
    for (const Job& job : jobs) splits.push_back(job.split);
    work.require_splits(splits);
    std::vector<ConversionResult> results;
    for (const Job& job : jobs) {
      const fs::path folder = work.folder_of(job.split);
      if (work.is_published() && !has_state(folder)) {
        results.emplace_back().split = job.split;
        results.back().was_finished = true;
      } else {
        results.push_back(run(job, options, folder));
      }
    }
    work.publish(splits);
    return results;
  } catch (const fs::filesystem_error& error) {
    throw SystemError("changing " + error.path1().string(), error.code().value());
  }
}

}  // namespace leat::tools
