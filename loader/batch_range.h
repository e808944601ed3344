// for (auto& batch : loader.epoch(3)): an input range over anything with `std::optional<Batch> next(...)`.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "leat/loader/errors.h"

namespace leat {

// Holds one batch at a time: advancing destroys the one before, unless it was moved out.
template <class Batch>
class BatchRange {
 public:
  using Next = std::function<std::optional<Batch>()>;

  class Iterator {
   public:
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    explicit Iterator(BatchRange* range) : range_(range) {}
    Batch& operator*() const { return *range_->batch_; }
    Batch* operator->() const { return &*range_->batch_; }
    Iterator& operator++() {
      range_->advance();
      return *this;
    }
    void operator++(int) { range_->advance(); }
    bool operator==(std::default_sentinel_t) const { return !range_->batch_.has_value(); }

   private:
    BatchRange* range_;
  };

  // With `on_error`, a SampleError of `next` is reported there, and the batch after it comes instead.
  explicit BatchRange(Next next, SampleErrorHandler on_error = nullptr)
      : next_(std::move(next)), on_error_(std::move(on_error)) {}

  Iterator begin() {
    advance();
    return Iterator(this);
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  void advance() {
    batch_.reset();  // first: its slot may be the one that is needed
    while (!try_to_advance()) {
    }
  }

  bool try_to_advance() {
    try {
      batch_ = next_();
      return true;
    } catch (const SampleError& error) {
      if (!on_error_) throw;
      on_error_(error);
      return false;
    }
  }

  Next next_;
  SampleErrorHandler on_error_;
  std::optional<Batch> batch_;
};

}  // namespace leat
