// Variables of the environment, and the errors about them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace leat::detail {

// Returns nullopt if the variable is not set. One that is set to nothing is set.
std::optional<std::string> variable(const char* name);

// "RANK=3", or "no RANK".
std::string shown_variable(const char* name);
std::string shown_variables(std::initializer_list<const char*> names);  // separated by commas

// Returns the whole number that the variable holds; nullopt if it is not set. Throws ArgumentError naming the variable,
// its value and the range if it holds anything else.
std::optional<std::int64_t> number_of(const char* name, std::int64_t low, std::int64_t high);

}  // namespace leat::detail
