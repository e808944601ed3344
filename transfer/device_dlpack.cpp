#include "leat/transfer/device_dlpack.h"

#include <utility>

#include "leat/datasets/base/dlpack_tensor.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

namespace {

DlpackDevice dlpack_device(const Device& device) {
  const bool is_gpu = device.kind() == DeviceKind::cuda;
  return {is_gpu ? DlpackDevice::Kind::cuda : DlpackDevice::Kind::host, device.ordinal()};
}

const DeviceBatch& require_batch(const std::shared_ptr<const DeviceBatch>& batch) {
  if (batch == nullptr) throw ArgumentError("there is no batch to export a tensor of");
  return *batch;
}

// Returns a name of the stream that means the same stream on every thread.
StreamRef on_any_thread(StreamRef stream) {
  return stream.device().for_other_threads(stream);
}

// A share of a batch that is used on another stream than the batch's. Members are destroyed in reverse order: the
// batch is given back first, and then the event is destroyed, which nothing needs that is enqueued by then.
class ShareOnStream {
 public:
  // Makes `consumer` wait for the batch's stream.
  ShareOnStream(std::shared_ptr<const DeviceBatch> batch, StreamRef consumer)
      : used_(consumer.device().make_event()), consumer_(on_any_thread(consumer)), batch_(std::move(batch)) {
    Device& device = batch_->stream().device();
    const Event ready = device.make_event();
    device.record(ready, on_any_thread(batch_->stream()));
    consumer.device().wait(consumer, ready);
  }
  ShareOnStream(const ShareOnStream&) = delete;
  ShareOnStream& operator=(const ShareOnStream&) = delete;
  ~ShareOnStream() {
    if (!let_batch_wait()) wait_on_host();
  }

 private:
  bool let_batch_wait() noexcept try {
    consumer_.device().record(used_, consumer_);
    const StreamRef stream = on_any_thread(batch_->stream());
    stream.device().wait(stream, used_);
    return true;
  } catch (...) {
    return false;
  }
  // What fails here has failed on the consumer's stream, and its owner will hear of it there.
  void wait_on_host() noexcept try { consumer_.synchronize(); } catch (...) {
    return;
  }

  const Event used_;
  const StreamRef consumer_;
  const std::shared_ptr<const DeviceBatch> batch_;
};

}  // namespace

DlpackTensor to_dlpack(std::shared_ptr<const DeviceBatch> batch, std::string_view field) {
  const TensorView view = require_batch(batch)[field];
  const StreamRef stream = batch->stream();
  if (stream.device().kind() == DeviceKind::host) stream.synchronize();
  return DlpackTensor(make_dlpack_tensor(view, dlpack_device(stream.device()), std::move(batch)));
}

DlpackTensor to_dlpack(std::shared_ptr<const DeviceBatch> batch, std::string_view field, StreamRef consumer) {
  const TensorView view = require_batch(batch)[field];
  const DlpackDevice device = dlpack_device(batch->stream().device());
  auto share = std::make_shared<const ShareOnStream>(std::move(batch), consumer);
  return DlpackTensor(make_dlpack_tensor(view, device, std::move(share)));
}

}  // namespace leat
