// A source of batches whose contents, errors and epochs are arithmetic, and that watches its slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "leat/transfer/batch_source.h"

namespace leat::test {

// Behaves like a DataLoader. Batch `number` of `epoch` has the rows' indices number * capacity + row; see
// slot_bytes() for its contents. A slot that was released is overwritten with 0xdd.
//
// Threads: any; one lock over what changes. The prefetcher's thread calls source()'s functions.
class ScriptedSource {
 public:
  struct Options {
    std::size_t batches = 3;  // per epoch
    std::size_t rows = 4;     // of each but the last, which has one
    std::size_t slots = 4;
    std::size_t max_held_batches = 3;
    std::function<void()> on_next{};  // runs at the start of each call of next()
  };

  explicit ScriptedSource(Options options);
  ScriptedSource(const ScriptedSource&) = delete;
  ScriptedSource& operator=(const ScriptedSource&) = delete;

  BatchSource source();  // refers to this object

  // next() throws `error` once, in place of that batch; with `again`, the batch comes at the next call.
  void fail(std::uint64_t epoch, std::uint64_t number, std::exception_ptr error, bool again = false);

  const BatchLayout& layout() const;
  std::size_t rows_of(std::uint64_t number) const;
  static std::vector<std::byte> slot_bytes(const BatchLayout& layout, std::uint64_t epoch,
                                           std::uint64_t number);

  std::size_t calls() const;                   // of next() so far
  std::size_t leased() const;                  // slots that are leased now
  std::size_t most_held() const;               // leases held when next() was called, at most
  std::vector<std::uint64_t> started() const;  // epochs that start_epoch() was called with
  std::span<std::byte> slot(std::size_t index) const;
  std::size_t batches() const { return options_.batches; }
  std::size_t slots() const { return options_.slots; }
  bool is_leased(std::size_t slot) const;

 private:
  class Slots;

  std::optional<HostBatch> next();
  void start_epoch(std::uint64_t epoch);

  const Options options_;
  const std::shared_ptr<Slots> slots_;  // shared with the batches

  mutable std::mutex mutex_;  // guards all of the following
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::exception_ptr, bool>> failures_;
  std::vector<std::uint64_t> started_;
  std::uint64_t epoch_ = 0;
  std::uint64_t number_ = 0;
  std::size_t calls_ = 0;
  std::size_t most_held_ = 0;
};

}  // namespace leat::test
