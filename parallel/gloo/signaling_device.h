// Gloo's TCP device, changed so that a lost connection wakes every thread that waits for it.
#pragma once

#include <gloo/transport/device.h>

#include <memory>
#include <string>

namespace leat::detail {

// Makes a device whose connections, when they end, wake every thread that waits for them. Gloo's own connections
// forget the message that they are writing or reading, and the messages queued behind it: a thread that waits for one
// of these waits for its whole timeout, although its peer is long gone. `address` is this machine's address, a number
// or a name. Throws what Gloo throws.
std::shared_ptr<gloo::transport::Device> make_signaling_device(const std::string& address);

}  // namespace leat::detail
