#include "tests/transfer/support/scripted_source.h"

#include <algorithm>
#include <cstring>

#include "leat/loader/errors.h"
#include "leat/loader/slots/slot_owner.h"

namespace leat::test {

using namespace leat::detail;

class ScriptedSource::Slots final : public leat::detail::SlotOwner {
 public:
  Slots(BatchLayout layout, std::size_t count)
      : layout_(std::move(layout)),
        memory_(layout_.bytes() * count, std::byte{0xdd}),
        indices_(count),
        leased_(count, false) {}

  const BatchLayout& layout() const { return layout_; }

  std::span<std::byte> all() { return memory_; }
  std::span<std::byte> slot(std::size_t index) {
    return std::span(memory_).subspan(index * layout_.bytes(), layout_.bytes());
  }

  std::size_t take(std::uint64_t number, std::size_t rows) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find(leased_.begin(), leased_.end(), false);
    if (found == leased_.end()) throw SlotsHeldError("every slot of the test is leased");
    const auto index = static_cast<std::size_t>(found - leased_.begin());
    leased_[index] = true;
    indices_[index].clear();
    for (std::size_t row = 0; row < rows; ++row) indices_[index].push_back(number * layout_.capacity() + row);
    return index;
  }

  const std::uint64_t* indices(std::size_t index) const { return indices_[index].data(); }

  void release(std::size_t index) noexcept override {
    const std::lock_guard lock(mutex_);
    std::ranges::fill(slot(index), std::byte{0xdd});
    std::ranges::fill(indices_[index], ~std::uint64_t{0});
    leased_[index] = false;
  }

  bool is_leased(std::size_t index) const {
    const std::lock_guard lock(mutex_);
    return leased_[index];
  }

  std::size_t leased() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count(leased_.begin(), leased_.end(), true));
  }

 private:
  const BatchLayout layout_;
  std::vector<std::byte> memory_;  // of a leased slot: its holder's; of others: under mutex_
  std::vector<std::vector<std::uint64_t>> indices_;  // the same

  mutable std::mutex mutex_;
  std::vector<bool> leased_;  // guarded by mutex_
};

namespace {

Schema test_schema() {
  return Schema({{"image", DType::u8, {6, 4, 3}}, {"label", DType::i64, {}}});
}

}  // namespace

ScriptedSource::ScriptedSource(Options options)
    : options_(std::move(options)),
      slots_(std::make_shared<Slots>(BatchLayout(test_schema(), options_.rows), options_.slots)) {}

BatchSource ScriptedSource::source() {
  BatchSource source;
  source.next = [this] { return next(); };
  source.start_epoch = [this](std::uint64_t epoch) { start_epoch(epoch); };
  source.layout = layout();
  source.max_held_batches = options_.max_held_batches;
  source.memory = {slots_->all()};
  source.keeper = slots_;
  return source;
}

void ScriptedSource::fail(std::uint64_t epoch, std::uint64_t number, std::exception_ptr error, bool again) {
  const std::lock_guard lock(mutex_);
  failures_[{epoch, number}] = {std::move(error), again};
}

std::optional<HostBatch> ScriptedSource::next() {
  if (options_.on_next) options_.on_next();
  const std::lock_guard lock(mutex_);
  ++calls_;
  most_held_ = std::max(most_held_, slots_->leased());
  if (number_ == options_.batches) {
    ++epoch_;
    number_ = 0;
    return std::nullopt;
  }
  if (const auto found = failures_.find({epoch_, number_}); found != failures_.end()) {
    const auto [error, again] = found->second;
    failures_.erase(found);
    if (!again) ++number_;
    std::rethrow_exception(error);
  }
  const std::uint64_t number = number_++;
  const std::size_t rows = rows_of(number);
  const std::size_t index = slots_->take(number, rows);
  const auto bytes = slot_bytes(layout(), epoch_, number);
  std::ranges::copy(bytes, slots_->slot(index).begin());
  return HostBatch({.epoch = epoch_,
                    .number = number,
                    .rows = rows,
                    .slot = index,
                    .data = slots_->slot(index).data(),
                    .indices = slots_->indices(index),
                    .layout = &slots_->layout()},
                   slots_);
}

void ScriptedSource::start_epoch(std::uint64_t epoch) {
  const std::lock_guard lock(mutex_);
  started_.push_back(epoch);
  epoch_ = epoch;
  number_ = 0;
}

const BatchLayout& ScriptedSource::layout() const {
  return slots_->layout();
}

std::size_t ScriptedSource::rows_of(std::uint64_t number) const {
  return number + 1 == options_.batches ? 1 : options_.rows;
}

std::vector<std::byte> ScriptedSource::slot_bytes(const BatchLayout& layout, std::uint64_t epoch,
                                                  std::uint64_t number) {
  std::vector<std::byte> bytes(layout.bytes());
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(31 * epoch + 7 * number + 3 * i);
  return bytes;
}

std::size_t ScriptedSource::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::size_t ScriptedSource::leased() const {
  return slots_->leased();
}

std::size_t ScriptedSource::most_held() const {
  const std::lock_guard lock(mutex_);
  return most_held_;
}

std::vector<std::uint64_t> ScriptedSource::started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

std::span<std::byte> ScriptedSource::slot(std::size_t index) const {
  return slots_->slot(index);
}

bool ScriptedSource::is_leased(std::size_t slot) const {
  return slots_->is_leased(slot);
}

}  // namespace leat::test
