// The log of the batches of an epoch that were delivered. A plain class: no threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace leat::detail {

// Records the delivered batches: the first batches() of the epoch and, if batches are delivered out of order, single
// batches beyond those, ahead().
class DeliveryLog {
 public:
  DeliveryLog() = default;
  // Continues an epoch in which the first `batches` batches, with `samples` samples, and the batches `ahead` beyond
  // them were delivered.
  DeliveryLog(std::size_t batches, std::size_t samples, const std::map<std::size_t, std::size_t>& ahead);

  // Records the delivery of batch `number`, which was planned with `rows` samples. Precondition: it was not delivered
  // before.
  void delivered(std::size_t number, std::size_t rows);
  bool was_delivered(std::size_t number) const { return number < batches_ || ahead_.contains(number); }

  std::size_t batches() const noexcept { return batches_; }
  std::size_t samples() const noexcept { return samples_; }                            // planned in batches()
  const std::map<std::size_t, std::size_t>& ahead() const noexcept { return ahead_; }  // number -> rows

 private:
  void join_ahead();

  std::size_t batches_ = 0;
  std::size_t samples_ = 0;
  std::map<std::size_t, std::size_t> ahead_;
};

}  // namespace leat::detail
