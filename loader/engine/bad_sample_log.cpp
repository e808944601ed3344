#include "leat/loader/engine/bad_sample_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace leat::detail {

namespace {

void copy_row(const BatchLayout& layout, std::byte* base, std::span<std::uint64_t> indices, std::size_t from,
              std::size_t to) {
  for (std::size_t field = 0; field < layout.schema().size(); ++field) {
    if (layout.schema()[field].is_ragged()) continue;
    std::byte* const column = base + layout.offset(field);
    const std::size_t bytes = layout.schema().row_bytes(field);
    std::memcpy(column + to * bytes, column + from * bytes, bytes);
  }
  indices[to] = indices[from];
}

// Replaces row r of every ragged field by the former row rows[r]. Not optimized, since bad samples are rare.
void choose_ragged_rows(const BatchLayout& layout, std::byte* base, std::span<const std::size_t> rows,
                        RowMemory* memory) {
  for (std::size_t field = 0; field < layout.schema().size(); ++field) {
    if (!layout.schema()[field].is_ragged()) continue;
    const std::span<std::int64_t> offsets = layout.row_offsets(field, base);
    const std::size_t element = layout.schema()[field].element_bytes();
    std::byte* const values = base + layout.offset(field);
    const std::vector<std::int64_t> old(offsets.begin(), offsets.end());
    const auto end = [&](std::size_t row) { return static_cast<std::size_t>(old[row]) * element; };
    std::vector<std::byte> chosen;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      chosen.insert(chosen.end(), values + end(rows[row]), values + end(rows[row] + 1));
      offsets[row + 1] = static_cast<std::int64_t>(chosen.size() / element);
    }
    take_rows(memory, layout.schema()[field], {values, chosen.size()});
    std::copy(chosen.begin(), chosen.end(), values);
  }
}

bool is_bad(std::span<const std::uint32_t> bad, std::size_t row) {
  return std::binary_search(bad.begin(), bad.end(), row);
}

}  // namespace

void BadSampleLog::add(BadSample sample, std::size_t seen) {
  ++count_;
  ++in_epoch_;
  if (kept_.size() < kKept) kept_.push_back(sample);
  if (in_epoch_ <= limit_.allowance ||
      static_cast<double>(in_epoch_) <= limit_.rate * static_cast<double>(seen)) {
    return;
  }
  const SampleError last(sample.batch, std::move(sample.origin));
  throw TooManyBadSamplesError(fmt::format(
      "{} of the {} samples of epoch {} so far are bad, which is more than {} and more than {} % of them "
      "(DataLoaderOptions::bad_sample_limit); the last one: {}",
      in_epoch_, seen, sample.epoch, limit_.allowance, 100 * limit_.rate, last.what()));
}

std::size_t remove_rows(const BatchLayout& layout, std::byte* base, std::span<std::uint64_t> indices,
                        std::span<const std::uint32_t> bad) {
  if (bad.empty()) return indices.size();
  std::size_t kept = 0;
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < indices.size(); ++row) {
    if (is_bad(bad, row)) continue;
    if (kept != row) copy_row(layout, base, indices, row, kept);
    rows.push_back(row);
    ++kept;
  }
  choose_ragged_rows(layout, base, rows, nullptr);  // no new memory: the rows only get fewer
  return kept;
}

void substitute_rows(const BatchLayout& layout, std::byte* base, std::span<std::uint64_t> indices,
                     std::span<const std::uint32_t> bad, RowMemory* memory) {
  if (bad.empty()) return;
  std::vector<std::size_t> rows;
  std::size_t good = 0;
  while (is_bad(bad, good)) ++good;
  for (std::size_t row = 0; row < indices.size(); ++row) {
    if (is_bad(bad, row)) {
      copy_row(layout, base, indices, good, row);
    } else {
      good = row;
    }
    rows.push_back(good);
  }
  choose_ragged_rows(layout, base, rows, memory);
}

}  // namespace leat::detail
