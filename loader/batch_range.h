/// \file
/// Batches as an input range: for (auto& batch : loader.epoch(3)).
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "leat/loader/errors.h"

namespace leat {

/// An input range over batches. It holds one batch at a time: advancing destroys it, unless it was moved out.
template <class Batch>
class BatchRange {
 public:
  /// Returns the next batch, or nullopt at the end.
  using Next = std::function<std::optional<Batch>()>;

  /// An input iterator; it is valid as long as its range.
  class Iterator {
   public:
    using value_type = Batch;                           ///< for std::iterator_traits
    using difference_type = std::ptrdiff_t;             ///< for std::iterator_traits
    using iterator_category = std::input_iterator_tag;  ///< for std::iterator_traits

    /// Refers to the current batch of `range`.
    explicit Iterator(BatchRange* range) : range_(range) {}
    Batch& operator*() const { return *range_->batch_; }    ///< the current batch
    Batch* operator->() const { return &*range_->batch_; }  ///< the current batch
    /// Advances to the next batch. Throws what `next` throws.
    Iterator& operator++() {
      range_->advance();
      return *this;
    }
    void operator++(int) { range_->advance(); }  ///< advances, too
    /// Tells whether the range has ended.
    bool operator==(std::default_sentinel_t) const { return !range_->batch_.has_value(); }

   private:
    BatchRange* range_;
  };

  /// Iterates over what `next` returns. If `on_error` is given, a SampleError that `next` throws is passed there, and
  /// the range goes on with the batch after it.
  explicit BatchRange(Next next, SampleErrorHandler on_error = nullptr)
      : next_(std::move(next)), on_error_(std::move(on_error)) {}

  /// Gets the first batch, and returns an iterator to it. To be called once.
  Iterator begin() {
    advance();
    return Iterator(this);
  }
  /// Returns what an iterator equals at the end.
  std::default_sentinel_t end() const { return {}; }

 private:
  void advance() {
    batch_.reset();  // first, because the next batch may need its slot
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
