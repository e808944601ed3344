// The memory of a SlotTable: where each part lies, and when its pages are taken.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/base/memory_limits.h"
#include "leat/loader/slots/slot_table.h"
#include "leat/loader/slots/slot_table_shared.h"

namespace leat::detail {

namespace {

// Hands out consecutive, aligned parts of one region.
class Carver {
 public:
  std::size_t take(std::size_t bytes, std::size_t alignment) {
    const std::size_t offset = align_up(used_, alignment);
    used_ = checked_add(offset, bytes);
    return offset;
  }
  std::size_t used() const noexcept { return used_; }

 private:
  std::size_t used_ = 0;
};

template <class T>
T* construct(std::byte* at, std::size_t count) {
  T* const first = reinterpret_cast<T*>(at);
  for (std::size_t i = 0; i < count; ++i) new (first + i) T();
  return first;
}

}  // namespace

// Returns the sizes of the state of one slot: header, words, progress, indices, columns.
std::array<std::size_t, 5> SlotTable::state_bytes(const BatchLayout& layout, std::size_t chunks) {
  return {sizeof(SlotHeader), checked_multiply(chunks, sizeof(Word)),
          checked_multiply(chunks, sizeof(Progress)),
          checked_multiply(layout.capacity(), sizeof(std::uint64_t)),
          checked_multiply(layout.column_count(), sizeof(std::byte*))};
}

std::size_t SlotTable::bytes_of_slot(const BatchLayout& layout, std::size_t chunks) {
  std::size_t sum = layout.bytes();
  for (const std::size_t bytes : state_bytes(layout, chunks)) sum = checked_add(sum, bytes);
  return sum;
}

SlotTable::SlotTable(BatchLayout layout, Dimensions dimensions)
    : layout_(std::move(layout)), dimensions_(dimensions) {
  const std::size_t all = checked_add(dimensions.slots, dimensions.spare);
  Carver carver;
  const std::size_t control = carver.take(sizeof(Control), alignof(Control));
  const std::size_t workers = carver.take(checked_multiply(dimensions.workers, sizeof(WorkerRecord)), 64);
  const std::array<std::size_t, 5> bytes = state_bytes(layout_, dimensions.chunks);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    state_[i] = {carver.take(checked_multiply(all, bytes[i]), 64), bytes[i]};
  }
  const std::size_t rows = checked_multiply(all, layout_.bytes());
  const std::size_t committed_words = CommittedPages::words(checked_add(rows, 4 * page_size()));
  const std::size_t taken = carver.take(committed_words * sizeof(Word), 64);
  const std::size_t guard = carver.take(page_size(), page_size());
  data_offset_ = carver.take(checked_multiply(dimensions.slots, layout_.bytes()), page_size());
  const std::size_t gap = carver.take(page_size(), page_size());
  const std::size_t spare = carver.take(checked_multiply(dimensions.spare, layout_.bytes()), page_size());
  const std::size_t end = carver.take(page_size(), page_size());
  spare_data_offset_ = spare - dimensions.slots * layout_.bytes();

  memory_ = SharedMemory(purpose_of_slots(), carver.used(), Pages::reserved, dimensions.forks);
  std::vector<Extent> common = extents(0, dimensions.slots);
  common.push_back({0, state_[0].offset});
  common.push_back({taken, committed_words * sizeof(Word)});
  memory_.take(common);
  const std::size_t records = checked_add(checked_multiply(all, dimensions.chunks), dimensions.workers);
  failure_memory_ = SharedMemory("failure records", checked_multiply(records, sizeof(FailureRecord)),
                                 Pages::when_touched, dimensions.forks);
  if (dimensions.workers > 0) completion_.emplace();
  for (const std::size_t page : {guard, gap, end}) memory_.guard_page(page);

  std::byte* const base = memory_.bytes().data();
  control_ = construct<Control>(base + control, 1);
  control_->active.store(static_cast<std::uint32_t>(dimensions.workers));
  worker_records_ = construct<WorkerRecord>(base + workers, dimensions.workers);
  committed_.manage(memory_, {data_offset_, end - data_offset_},
                    construct<Word>(base + taken, committed_words));
  failures_ = reinterpret_cast<FailureRecord*>(failure_memory_.bytes().data());
  bind_state();
  construct_state(0, dimensions.slots);
}

// Describes the slots for error messages, so that they say what to make smaller.
std::string SlotTable::purpose_of_slots() const {
  const Schema& schema = layout_.schema();
  std::string text = fmt::format("batch slots ({} of {} rows", dimensions_.slots, layout_.capacity());
  if (schema.size() > 0) {
    std::size_t largest = 0;
    for (std::size_t field = 1; field < schema.size(); ++field)
      if (schema.row_bytes(field) > schema.row_bytes(largest)) largest = field;
    text += fmt::format("; the largest field is '{}' with {} a row", schema[largest].name,
                        in_bytes(schema.row_bytes(largest)));
  }
  return text + ")";
}

void SlotTable::bind_state() {
  std::byte* const base = memory_.bytes().data();
  headers_ = reinterpret_cast<SlotHeader*>(base + state_[0].offset);
  words_ = reinterpret_cast<Word*>(base + state_[1].offset);
  progress_ = reinterpret_cast<Progress*>(base + state_[2].offset);
  indices_ = reinterpret_cast<std::uint64_t*>(base + state_[3].offset);
  columns_ = reinterpret_cast<std::byte**>(base + state_[4].offset);
}

// Returns the extents that hold the rows of consecutive slots, which are all common or all spare. The values of ragged
// fields are left out.
std::vector<Extent> SlotTable::row_extents(std::size_t first, std::size_t last) const {
  std::vector<Extent> extents;
  if (layout_.schema().ragged_fields() == 0) {
    extents.push_back({data_offset(first), (last - first) * layout_.bytes()});
  } else {
    for (std::size_t slot = first; slot < last; ++slot) {
      for (const BatchLayout::Part& part : layout_.fixed_parts()) {
        extents.push_back({data_offset(slot) + part.offset, part.bytes});
      }
    }
  }
  return extents;
}

// Returns the same, and the extents that hold the state of these slots.
std::vector<Extent> SlotTable::extents(std::size_t first, std::size_t last) const {
  std::vector<Extent> extents = row_extents(first, last);
  for (const Part& part : state_) extents.push_back(part.of(first, last));
  return extents;
}

std::vector<std::span<std::byte>> SlotTable::taken_slot_memory() const {
  std::vector<Extent> rows = row_extents(0, dimensions_.slots);
  std::erase_if(rows, [](const Extent& extent) { return extent.bytes == 0; });
  std::ranges::sort(rows, {}, &Extent::offset);
  std::vector<Extent> parts;
  for (const Extent& extent : rows) {
    const std::size_t first = extent.offset / page_size() * page_size();
    const std::size_t last = align_up(extent.offset + extent.bytes, page_size());
    const bool touches = !parts.empty() && first <= parts.back().offset + parts.back().bytes;
    if (!touches) parts.push_back({first, 0});
    parts.back().bytes = last - parts.back().offset;
  }
  std::vector<std::span<std::byte>> memory;
  for (const Extent& part : parts) memory.push_back(memory_.bytes().subspan(part.offset, part.bytes));
  return memory;
}

// Constructs the state of these slots, and opens them.
void SlotTable::construct_state(std::size_t first, std::size_t last) {
  const std::size_t chunks = (last - first) * dimensions_.chunks;
  for (std::size_t slot = first; slot < last; ++slot) {
    new (headers_ + slot) SlotHeader();
    const std::vector<std::byte*> columns = layout_.columns(data(slot));
    std::copy(columns.begin(), columns.end(), columns_ + slot * layout_.column_count());
  }
  for (std::size_t i = 0; i < chunks; ++i) {
    new (&word(first, i)) Word();
    new (progress_ + at(first, i)) Progress();
  }
  control_->opened.store(last);
}

bool SlotTable::open_next() {
  const std::size_t next = opened();
  if (next == all_slots() || !memory_.try_take(extents(next, next + 1))) return false;
  construct_state(next, next + 1);
  return true;
}

}  // namespace leat::detail
