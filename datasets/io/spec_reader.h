// Reads a JSON object of a dataset's description key by key.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

// Returns a description as text; nullopt if a string in it is not UTF-8, which JSON cannot hold.
std::optional<std::string> spec_text(const nlohmann::json& object);

// Parses a description, which is an object. Throws ArgumentError if the text is something else or an object has a key
// twice.
nlohmann::json parse_spec(const std::string& text);

// Reports every problem as an ArgumentError naming the place, such as "dataset spec.transforms[1].size". finish()
// rejects keys that were not asked for. The object must outlive the reader.
class SpecReader {
 public:
  // Throws ArgumentError if `object` is not an object.
  SpecReader(const nlohmann::json& object, std::string place);

  // Returns the member, or null if it is missing.
  const nlohmann::json* find(const char* key);
  bool has(const char* key) { return find(key) != nullptr; }
  // Returns the member. Throws ArgumentError if it is missing.
  const nlohmann::json& require(const char* key);

  // Each leaves `value` unchanged if the member is missing.
  void read(const char* key, std::string& value);
  void read(const char* key, bool& value);
  void read(const char* key, double& value);
  template <std::integral T>
  void read(const char* key, T& value) {
    const nlohmann::json* const member = find(key);
    if (member == nullptr) return;
    if (member->is_number_unsigned()) {
      if (std::in_range<T>(member->get<std::uint64_t>())) return void(value = member->get<T>());
    } else if (member->is_number_integer() && std::in_range<T>(member->get<std::int64_t>())) {
      return void(value = member->get<T>());
    }
    refuse_range(key, std::int64_t{std::numeric_limits<T>::min()},
                 std::uint64_t{std::numeric_limits<T>::max()});
  }
  // Like read(), but throws ArgumentError if the member is missing.
  template <class T>
  T read_required(const char* key) {
    require(key);
    T value{};
    read(key, value);
    return value;
  }
  // Reads one of the names that `name_of(candidate)` returns.
  template <class Enum, class NameOf>
  void read_enum(const char* key, Enum& value, std::initializer_list<Enum> candidates,
                 const NameOf& name_of) {
    std::string name;
    if (!has(key)) return;
    read(key, name);
    std::string known;
    for (const Enum candidate : candidates) {
      if (name_of(candidate) == name) return void(value = candidate);
      known += (known.empty() ? "" : ", ") + std::string(name_of(candidate));
    }
    refuse(key, "it is '" + name + "'; known are " + known);
  }

  // Returns the place of a key, such as "transforms[1].size".
  std::string place_of(std::string_view key) const;
  [[noreturn]] void refuse(std::string_view key, std::string_view problem) const;

  // Throws ArgumentError naming a key that was not asked for and the keys that were.
  void finish() const;

 private:
  [[noreturn]] void refuse_range(const char* key, std::int64_t least, std::uint64_t most) const;

  const nlohmann::json* object_;
  std::string place_;
  std::vector<std::string> known_;
};

}  // namespace leat::detail
