// The processes from which this process descends.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leat::detail {

// Returns an identity ("1234.567890", its id and start time) of the closest ancestor that runs a program of this name,
// of which the kernel keeps the first 15 characters. Returns nullopt if there is none, or if /proc does not tell.
std::optional<std::string> ancestor_named(std::string_view program);

}  // namespace leat::detail
