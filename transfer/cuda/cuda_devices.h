// The GPUs of this machine as devices.
#pragma once

namespace leat::detail::cuda {

// Tells whether the process has made a Device for more than one GPU.
bool has_several_devices() noexcept;

}  // namespace leat::detail::cuda
