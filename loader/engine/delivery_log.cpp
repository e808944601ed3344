#include "leat/loader/engine/delivery_log.h"

namespace leat::detail {

DeliveryLog::DeliveryLog(std::size_t batches, std::size_t samples,
                         const std::map<std::size_t, std::size_t>& ahead)
    : batches_(batches), samples_(samples), ahead_(ahead) {
  join_ahead();
}

// Allocates nothing in the usual case, that batches are delivered in order.
void DeliveryLog::delivered(std::size_t number, std::size_t rows) {
  if (number != batches_) {
    ahead_.emplace(number, rows);
    return;
  }
  ++batches_;
  samples_ += rows;
  join_ahead();
}

void DeliveryLog::join_ahead() {
  for (auto next = ahead_.begin(); next != ahead_.end() && next->first == batches_;) {
    ++batches_;
    samples_ += next->second;
    next = ahead_.erase(next);
  }
}

}  // namespace leat::detail
