// The value of --gpus.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::tools {

// Returns the GPUs of a list such as "0,2-3" or "GPU-8932f937,MIG-5f1c", each as CUDA_VISIBLE_DEVICES names it. Numbers
// count among those of `visible`, the value that CUDA_VISIBLE_DEVICES has now, if it has one. Throws UsageError naming
// the part of the list that is malformed, names a GPU that is not visible, or names one twice.
std::vector<std::string> parse_gpu_list(std::string_view list, const std::optional<std::string>& visible);

}  // namespace leat::tools
