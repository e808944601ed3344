#include "loader/delivery_log.h"

namespace leat {

void DeliveryLog::delivered(std::size_t number, std::size_t rows) {
  ahead_.emplace(number, rows);
  for (auto next = ahead_.begin(); next != ahead_.end() && next->first == batches_; next = ahead_.begin()) {
    ++batches_;
    samples_ += next->second;
    ahead_.erase(next);
  }
}

}  // namespace leat
