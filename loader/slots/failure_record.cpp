#include "leat/loader/slots/failure_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <typeinfo>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

void write(std::span<char> field, std::string_view text) noexcept {
  const std::string_view ellipsis = "...";
  if (text.size() < field.size()) {
    std::memcpy(field.data(), text.data(), text.size());
    field[text.size()] = '\0';
  } else {
    const std::size_t kept = field.size() - ellipsis.size() - 1;
    std::memcpy(field.data(), text.data(), kept);
    std::memcpy(field.data() + kept, ellipsis.data(), ellipsis.size() + 1);
  }
}

}  // namespace

void FailureRecord::capture() noexcept {
  deaths = 0;
  stack_frames = 0;
  source[0] = '\0';
  try {
    throw;
  } catch (const std::exception& error) {
    write(type, typeid(error).name());
    write(text, what_of(error));
    try {
      const std::string name = type_name(error), description = describe(error);
      write(type, name);
      write(text, description);
    } catch (...) {  // NOLINT(bugprone-empty-catch): without memory, what was written above must do
    }
  } catch (...) {
    write(type, "an exception that is not a std::exception");
    write(text, "no text");
  }
}

void FailureRecord::set_source(std::string_view where) noexcept {
  write(source, where);
}

void FailureRecord::expect_death(std::uint64_t batch, std::uint64_t sample, std::string_view where) noexcept {
  generation = batch;
  index = sample;
  set_source(where);
}

void FailureRecord::blame(const Blame& blame) noexcept {
  if (generation != blame.batch || index != blame.sample) source[0] = '\0';
  generation = blame.batch;
  index = blame.sample;
  row = blame.row;
  worker = blame.worker;
  deaths = blame.deaths;
  stack_frames = static_cast<std::uint32_t>(std::min(blame.stack.size(), stack.size()));
  std::copy_n(blame.stack.begin(), stack_frames, stack.begin());
  write(type, "leat::WorkerError");
  const auto end =
      fmt::format_to_n(text, std::size(text) - 1,
                       "loading it ended {} worker processes, the last of which {}", deaths, blame.how);
  *end.out = '\0';
}

}  // namespace leat::detail
