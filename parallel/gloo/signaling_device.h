// Gloo's TCP device, with a gap in its connections closed.
#pragma once

#include <gloo/transport/device.h>

#include <memory>
#include <string>

namespace leat::detail {

// A device whose connections, when they end, wake everybody who waits for them. Gloo's own forget the message
// they are in the middle of writing or reading, and those queued behind it: whoever waits for one of these
// waits for his whole timeout, although its peer is long gone. `address` is this machine's, a number or name.
// Throws what Gloo throws.
std::shared_ptr<gloo::transport::Device> make_signaling_device(const std::string& address);

}  // namespace leat::detail
