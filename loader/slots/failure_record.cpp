#include "loader/slots/failure_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "loader/base/errors.h"

namespace leat {

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

void FailureRecord::capture() {
  deaths = 0;
  try {
    throw;
  } catch (const std::exception& error) {
    write(type, type_name(error));
    write(text, describe(error));
  } catch (...) {
    write(type, "an exception that is no std::exception");
    write(text, "no text");
  }
}

void FailureRecord::set_source(std::string_view where) noexcept {
  write(source, where);
}

void FailureRecord::blame(std::uint64_t sample, std::uint32_t at_row, int in_worker, std::uint32_t times,
                          std::string_view how) {
  *this = FailureRecord();
  index = sample;
  row = at_row;
  worker = in_worker;
  deaths = times;
  write(type, "leat::WorkerError");
  write(text, fmt::format("loading it ended {} worker processes, the last of which {}", times, how));
}

}  // namespace leat
