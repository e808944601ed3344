// Which batches of an epoch were delivered. A plain class: no threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace leat::detail {

// In order, they are the first `batches()`; out of order there are others beyond those, `ahead()`.
class DeliveryLog {
 public:
  DeliveryLog() = default;
  // Goes on where an epoch was left: `samples` in the first `batches`, and some single batches beyond.
  DeliveryLog(std::size_t batches, std::size_t samples, const std::map<std::size_t, std::size_t>& ahead);

  // Batch `number`, which was planned with `rows` samples. Precondition: not delivered before.
  void delivered(std::size_t number, std::size_t rows);
  bool was_delivered(std::size_t number) const { return number < batches_ || ahead_.contains(number); }

  std::size_t batches() const noexcept { return batches_; }
  std::size_t samples() const noexcept { return samples_; }                            // planned in these
  const std::map<std::size_t, std::size_t>& ahead() const noexcept { return ahead_; }  // number -> rows

 private:
  void join_ahead();

  std::size_t batches_ = 0;
  std::size_t samples_ = 0;
  std::map<std::size_t, std::size_t> ahead_;
};

}  // namespace leat::detail
