// The keys and values that a store's server holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace leat::detail {

// Not thread-safe. A change that would exceed a limit throws CommunicationError and has no effect.
class StoreTable {
 public:
  static constexpr std::size_t kMaxKeys = 1 << 20;
  static constexpr std::size_t kMaxBytes = std::size_t{256} << 20;  // keys and values together

  void set(const std::string& key, std::string value);
  const std::string* find(const std::string& key) const;  // nullptr if the key does not exist

  // Adds `delta`, a decimal number, to the value (0 if there is none) and returns the sum. Both must fit in 64 bits.
  const std::string& add(const std::string& key, const std::string& delta);

 private:
  std::unordered_map<std::string, std::string> values_;
  std::size_t bytes_ = 0;
};

}  // namespace leat::detail
