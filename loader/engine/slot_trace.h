// The slots' part of a trace: when each slot was loaded, ready and leased, and which worker loaded which rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "leat/loader/engine/trace.h"
#include "leat/loader/slots/slot_table.h"

namespace leat::detail {

// Not thread-safe: each BatchScheduler has one, and uses it under its lock. Does nothing without a trace.
class SlotTrace {
 public:
  // `trace` may be null. It is shared, because batches that outlive the loader still write the ends of their spans.
  // `table` outlives this object.
  SlotTrace(std::shared_ptr<Trace> trace, const SlotTable& table)
      : trace_(std::move(trace)), table_(&table) {}

  void opened(std::size_t slot);  // a spare slot was opened
  // The batch is delivered to the consumer; its chunks are done. Times are nanoseconds of std::chrono::steady_clock.
  void delivered(std::size_t slot, const BatchDescriptor& descriptor, std::uint64_t published_ns);
  void released(std::size_t slot);  // the consumer released the slot

 private:
  std::shared_ptr<Trace> trace_;
  const SlotTable* table_;
  std::vector<std::uint64_t> leased_since_ns_;  // by slot, up to the highest slot that was delivered
};

}  // namespace leat::detail
