#include "leat/parallel/world.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "leat/parallel/gloo_communicator.h"
#include "leat/parallel/host/group_meeting.h"
#include "leat/parallel/local_group.h"
#include "leat/parallel/nccl_communicator.h"
#include "leat/parallel/shared_memory_communicator.h"
#include "leat/parallel/store/check_group.h"
#include "leat/parallel/store/next_prefix.h"

namespace leat {

using namespace detail;

namespace {

// Tells whether every rank can share memory with every other one, which each finds out for itself.
bool share_a_host(TcpStore& store, std::chrono::milliseconds timeout) {
  const int ranks = store.world().world_size, rank = store.world().rank;
  const std::string prefix = next_prefix(store, "world/share_a_host");
  const auto key = [&](int of) { return fmt::format("{}/{}", prefix, of); };
  const bool mine = std::ssize(ranks_of_this_host(store, timeout)) == ranks;
  store.set(key(rank), mine ? "yes" : "no");
  bool all = true;
  for (int other = 0; other < ranks; ++other) all = store.get(key(other), timeout) == "yes" && all;
  return all;
}

}  // namespace

World::World(const WorldOverrides& overrides, std::chrono::milliseconds timeout)
    : World(world_from_environment(overrides).value_or(WorldSettings()), timeout) {}

World::World(const WorldSettings& settings, std::chrono::milliseconds timeout)
    : settings_(settings), timeout_(timeout) {
  check(settings_);
  if (size() == 1) return;
  store_ = std::make_shared<TcpStore>(settings_, timeout_);
  settings_ = store_->world();
}

Device& World::device() const {
  const int gpus = cuda_device_count();
  return gpus == 0 ? host_device() : cuda_device(gpu_of_rank(settings_, gpus));
}

void World::compare_settings(std::span<const JobSetting> settings) const {
  if (store_ != nullptr) store_->compare_settings(settings, timeout_);
}

std::unique_ptr<Communicator> World::make_communicator(Device& device,
                                                       std::chrono::milliseconds timeout) const {
  return join(store_, device, timeout);
}

std::unique_ptr<Communicator> World::group(const std::vector<int>& ranks, Device& device,
                                           std::chrono::milliseconds timeout) const {
  check_group(ranks, settings_);
  if (store_ == nullptr) return join(nullptr, device, timeout);
  return join(store_->group(ranks, meet_group(*store_, ranks, timeout_)), device, timeout);
}

// Joins the ranks of a store; none if this rank is alone.
std::unique_ptr<Communicator> World::join(const std::shared_ptr<TcpStore>& store, Device& device,
                                          std::chrono::milliseconds timeout) const {
  if (device.kind() == DeviceKind::cuda) {
    const auto known = store == nullptr ? std::make_shared<TcpStore>(WorldSettings{.master_port = 0}) : store;
    return make_nccl_communicator(known, device, {.timeout = timeout, .collective_timeout = timeout});
  }
  if (store == nullptr || store->world().world_size == 1)
    return std::move(make_local_group(1, device, timeout).front());
  if (share_a_host(*store, timeout_))
    return make_shared_memory_communicator(store, {.timeout = timeout, .connect_timeout = timeout_});
  return make_gloo_communicator(store, {.timeout = timeout});
}

}  // namespace leat
