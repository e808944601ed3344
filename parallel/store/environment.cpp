#include "leat/parallel/store/environment.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "leat/datasets/errors.h"

namespace leat::detail {

std::optional<std::string> variable(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  return text;
}

std::string shown_variable(const char* name) {
  const auto text = variable(name);
  return text ? fmt::format("{}={}", name, *text) : fmt::format("no {}", name);
}

std::string shown_variables(std::initializer_list<const char*> names) {
  std::string text;
  for (const char* name : names) text += (text.empty() ? "" : ", ") + shown_variable(name);
  return text;
}

std::optional<std::int64_t> number_of(const char* name, std::int64_t low, std::int64_t high) {
  const auto text = variable(name);
  if (!text) return std::nullopt;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || stop != text->data() + text->size() || value < low || value > high) {
    throw ArgumentError(fmt::format("{}=\"{}\" is not a whole number from {} to {}", name, *text, low, high));
  }
  return value;
}

}  // namespace leat::detail
