#include "leat/parallel/world.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "leat/datasets/errors.h"
#include "leat/parallel/store/launcher.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::size_t kMaxAddressLength = 253;  // characters in a host name

const char* required(const char* name) {
  const char* text = std::getenv(name);
  if (text != nullptr) return text;
  throw ArgumentError(
      fmt::format("{} is not set; RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are needed together", name));
}

int number_of(const char* name, const char* text, int low, int high) {
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < low || value > high) {
    throw ArgumentError(fmt::format("{}=\"{}\" is not a whole number from {} to {}", name, text, low, high));
  }
  return value;
}

void check_range(const char* name, int value, int low, int high) {
  if (value < low || value > high) {
    throw ArgumentError(fmt::format("{} {} is outside {} to {}", name, value, low, high));
  }
}

}  // namespace

void check(const WorldSettings& settings) {
  check_range("world size", settings.world_size, 1, kMaxWorldSize);
  check_range("rank", settings.rank, 0, settings.world_size - 1);
  check_range("local rank", settings.local_rank, 0, settings.world_size - 1);
  if (settings.master_address.empty() || settings.master_address.size() > kMaxAddressLength) {
    throw ArgumentError(
        fmt::format("MASTER_ADDR must be a host name or address of 1 to {} characters, not {}",
                    kMaxAddressLength, settings.master_address.size()));
  }
}

std::optional<WorldSettings> world_from_environment() {
  if (std::getenv("RANK") == nullptr && std::getenv("WORLD_SIZE") == nullptr) {
    refuse_unread_launchers();
    return std::nullopt;
  }
  WorldSettings settings;
  settings.world_size = number_of("WORLD_SIZE", required("WORLD_SIZE"), 1, kMaxWorldSize);
  settings.rank = number_of("RANK", required("RANK"), 0, settings.world_size - 1);
  settings.master_address = required("MASTER_ADDR");
  settings.master_port =
      static_cast<std::uint16_t>(number_of("MASTER_PORT", required("MASTER_PORT"), 1, 65535));
  const char* local = std::getenv("LOCAL_RANK");
  settings.local_rank =
      local == nullptr ? settings.rank : number_of("LOCAL_RANK", local, 0, settings.world_size - 1);
  check(settings);
  if (settings.world_size > 1) refuse_agent_store();
  return settings;
}

}  // namespace leat
