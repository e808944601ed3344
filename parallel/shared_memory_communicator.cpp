#include "leat/parallel/shared_memory_communicator.h"

#include <fmt/format.h>

#include <utility>

#include "leat/parallel/host/host_communicator.h"
#include "leat/parallel/shared_memory/host_introduction.h"
#include "leat/parallel/shared_memory/shared_memory_engine.h"
#include "leat/parallel/store/next_prefix.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::size_t kMinStagingBytes = std::size_t{64} << 10;

void check(const SharedMemoryOptions& options, const WorldSettings& world) {
  if (options.staging_bytes < kMinStagingBytes) {
    throw ArgumentError(
        fmt::format("staging_bytes is {}; it must be at least {}", options.staging_bytes, kMinStagingBytes));
  }
  const auto is_timeout = [](std::chrono::milliseconds time) {
    return time.count() > 0 && time <= kLongestTimeout;
  };
  if (!is_timeout(options.timeout) || !is_timeout(options.connect_timeout)) {
    throw ArgumentError(
        fmt::format("timeout is {} ms and connect_timeout {} ms; both must be above 0, and at most {}",
                    options.timeout.count(), options.connect_timeout.count(), kLongestTimeout.count()));
  }
  if (world.world_size > kMaxMeetingRanks) {
    throw ArgumentError(fmt::format("{} ranks cannot share memory; the greatest number is {}",
                                    world.world_size, kMaxMeetingRanks));
  }
}

}  // namespace

std::unique_ptr<Communicator> make_shared_memory_communicator(
    std::shared_ptr<TcpStore>
        store,  // NOLINT(performance-unnecessary-value-param): as Gloo's, which keeps it
    const SharedMemoryOptions& options) {
  const std::string prefix = next_prefix(*store, options.prefix);
  try {
    check(options, store->world());
  } catch (const ArgumentError& error) {  // the other ranks would wait for this one
    announce_failure(*store, prefix,
                     {.kind = Failure::Kind::other,
                      .ranks = {},
                      .text = fmt::format("rank {}: {}", store->world().rank, error.what())});
    throw;
  }
  auto engine = std::make_unique<SharedMemoryEngine>(*store, prefix, options);
  return std::make_unique<HostCommunicator>(std::move(engine), host_device(), options.timeout);
}

std::vector<int> ranks_of_this_host(TcpStore& store, std::chrono::milliseconds timeout) {
  const std::string prefix = next_prefix(store, "ranks_of_this_host");
  try {
    HostIntroduction introduction(store, prefix, "", {}, timeout);
    std::vector<int> here;
    for (const int rank : introduction.meet_all()) {
      if (rank == store.world().rank || introduction.reach(rank)) here.push_back(rank);
    }
    introduction.part();
    return here;
  } catch (const std::exception& error) {
    announce_failure(store, prefix, failure_of(error));
    throw;
  }
}

}  // namespace leat
