#include "leat/parallel/world_settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <limits>

#include "leat/datasets/errors.h"
#include "leat/parallel/store/environment.h"
#include "leat/parallel/store/launchers.h"
#include "leat/parallel/store/store_hello.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::size_t kMaxAddressLength = 253;  // characters in a host name
constexpr std::size_t kMinSecret = 16, kMaxSecret = 1024;

void check_range(const char* name, int value, int low, int high) {
  if (value < low || value > high) {
    throw ArgumentError(fmt::format("{} {} is outside {} to {}", name, value, low, high));
  }
}

std::optional<WorldSettings> world_of_overrides(const WorldOverrides& overrides) {
  if (overrides.rank.has_value() != overrides.world_size.has_value()) {
    throw ArgumentError(overrides.rank ? "a rank was given without a world size"
                                       : "a world size was given without a rank");
  }
  if (!overrides.rank) {
    if (overrides.local_rank) throw ArgumentError("a local rank was given without a rank");
    return std::nullopt;
  }
  WorldSettings world;
  world.rank = *overrides.rank;
  world.world_size = *overrides.world_size;
  world.local_rank = overrides.local_rank.value_or(world.rank);
  world.launcher = "options";
  world.master_address.clear();
  world.master_port = 0;
  return world;
}

std::optional<WorldSettings> find_world(const WorldOverrides& overrides) {
  if (auto world = world_of_overrides(overrides)) return world;
  const auto launcher = overrides.launcher ? overrides.launcher : variable("LEAT_LAUNCHER");
  return launcher ? read_launcher(*launcher) : read_launcher();
}

// Returns the name of the variable that states where rank 0 listens, whatever the launcher says; nullptr if none does.
// MASTER_ADDR and MASTER_PORT belong to the sets of RANK, where they mean something else under torchrun.
const char* statement(const WorldSettings& world, const char* own, const char* common) {
  if (variable(own)) return own;
  const bool by_rank =
      world.launcher == "env" || world.launcher == "torchrun" || world.launcher == "leat-run";
  return !by_rank && variable(common) ? common : nullptr;
}

void set_address(WorldSettings& world, const WorldOverrides& overrides) {
  if (overrides.master_address) {
    world.master_address = *overrides.master_address;
  } else if (const char* name = statement(world, "LEAT_MASTER_ADDR", "MASTER_ADDR")) {
    world.master_address = variable(name).value_or("");
  } else if (world.master_address.empty() && world.world_size == 1) {
    world.master_address = WorldSettings().master_address;
  } else if (world.master_address.empty() && !variable("MASTER_ADDR")) {
    throw ArgumentError(fmt::format(
        "{} does not tell the host of rank 0, and the {} ranks are not known to be all on this host: set "
        "LEAT_MASTER_ADDR on all ranks to the address of rank 0's host",
        world.launcher, world.world_size));
  }
}

void set_port(WorldSettings& world, const WorldOverrides& overrides) {
  std::optional<std::int64_t> port = overrides.master_port;
  const char* name = statement(world, "LEAT_MASTER_PORT", "MASTER_PORT");
  if (!port && name != nullptr) port = number_of(name, 1, 65535);
  if (!port && world.master_port == 0 && world.world_size == 1) port = WorldSettings().master_port;
  if (port) {
    world.master_port = static_cast<std::uint16_t>(*port);
    world.master_ports = 1;
  } else if (world.master_port == 0) {
    throw ArgumentError(
        fmt::format("{} does not tell an id of the job, from which the port of rank 0 would be computed: set "
                    "LEAT_MASTER_PORT on all ranks to a free port of rank 0's host",
                    world.launcher));
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "(unknown)";
}

}  // namespace

void check(const WorldSettings& settings) {
  check_range("world size", settings.world_size, 1, kMaxWorldSize);
  check_range("rank", settings.rank, 0, settings.world_size - 1);
  check_range("local rank", settings.local_rank, 0, settings.world_size - 1);
  check_range("local world size", settings.local_world_size, 0, settings.world_size);
  check_range("number of ports", settings.master_ports, 1, 65536 - settings.master_port);
  check_range("restart", settings.restart, 0, std::numeric_limits<int>::max());
  const auto check_length = [](const char* name, std::size_t length, std::size_t low, std::size_t high) {
    if (length >= low && length <= high) return;
    throw ArgumentError(fmt::format("{} of {} to {} characters, not {}", name, low, high, length));
  };
  check_length("MASTER_ADDR must be a host name or address", settings.master_address.size(), 1,
               kMaxAddressLength);
  check_length("the run id must be a text", settings.run_id.size(), 0, kMaxRunId);
  if (settings.secret.empty()) return;
  check_length("the job's secret (LEAT_JOB_SECRET) must be a text", settings.secret.size(), kMinSecret,
               kMaxSecret);
}

std::optional<WorldSettings> world_from_environment(const WorldOverrides& overrides) {
  auto world = find_world(overrides);
  if (!world) return std::nullopt;
  set_address(*world, overrides);
  set_port(*world, overrides);
  world->secret = variable("LEAT_JOB_SECRET").value_or("");
  check(*world);
  return world;
}

int gpu_of_rank(const WorldSettings& world, int visible_gpus) {
  if (visible_gpus == 1) return 0;
  if (world.local_rank < visible_gpus) return world.local_rank;
  throw ArgumentError(
      fmt::format("rank {} has local rank {}, but its process sees {} GPUs ({}): there is none for it",
                  world.rank, world.local_rank, visible_gpus, shown_variable("CUDA_VISIBLE_DEVICES")));
}

std::string describe(const WorldSettings& world, std::string_view device) {
  std::string line =
      fmt::format("rank {} of {} on host {}, device {}", world.rank, world.world_size, host_name(), device);
  if (!world.launcher.empty()) line += fmt::format(", started by {}", world.launcher);
  if (world.world_size > 1 && world.secret.empty()) {
    line += "; LEAT_JOB_SECRET is not set, so every user of this host can reach the store of the ranks";
  }
  return line;
}

}  // namespace leat
