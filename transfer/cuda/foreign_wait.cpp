#include "leat/transfer/cuda/foreign_wait.h"

#include <utility>

#include "leat/transfer/device.h"

namespace leat::detail::cuda {

ForeignWait::~ForeignWait() {
  if (!is_ending_)
    end(std::make_exception_ptr(DeviceError("a stream waited for an event that can never pass")));
}

void ForeignWait::end(std::exception_ptr failure) noexcept {
  if (is_ending_.exchange(true)) return;
  log_->end_work(number_, std::move(failure));
  is_logged_ = true;
  signal_->send();  // last: the stream may be synchronized right after it
}

}  // namespace leat::detail::cuda
