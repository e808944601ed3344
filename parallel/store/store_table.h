// The keys and values that a store's server holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace leat::detail {

// Not thread-safe. What exceeds a limit throws CommunicationError and changes nothing.
class StoreTable {
 public:
  static constexpr std::size_t kMaxKeys = 1 << 20;
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;  // of keys and values together

  void set(const std::string& key, std::string value);
  const std::string* find(const std::string& key) const;  // nullptr: there is none

  // Adds `delta`, a decimal number, to the value (0 where there is none) and returns the sum; both fit in 64
  // bits.
  const std::string& add(const std::string& key, const std::string& delta);

 private:
  std::unordered_map<std::string, std::string> values_;
  std::size_t bytes_ = 0;
};

}  // namespace leat::detail
