#include "leat/loader/engine/restorable_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw ArgumentError("the state cannot be restored here: " + why);
}

template <class T>
void require_equal(const char* what, const T& saved, const T& here) {
  if (saved != here) refuse(fmt::format("its {} is {}, this loader's {}", what, saved, here));
}

void require(bool possible, const std::string& otherwise) {
  if (!possible) refuse(otherwise + ", which no loader can have delivered");
}

std::size_t saturating_multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::size_t>::max() : product;
}

// How the state's loader divided the positions that were left when its batch size or world size last changed.
struct Division {
  std::size_t positions;   // positions left of the shared order, for all ranks
  std::size_t per_batch;   // positions per batch
  std::size_t world_size;  // number of ranks

  static Division of(const LoaderState& state, const BatchSampler& order) {
    return {order.positions(state.epoch) - state.earlier.consumed.size(),
            std::max<std::size_t>(state.batch_size, 1), state.world_size};
  }

  // The share of a rank is one of these two. Which one depends on the rank and on its RemainderPolicy.
  std::size_t least_share() const { return positions / world_size; }
  std::size_t largest_share() const { return divide_up(positions, world_size); }
  std::size_t most_batches() const { return divide_up(largest_share(), per_batch); }

  // Positions of a share that its first `batches` batches consume.
  std::size_t consumed(std::size_t share, std::size_t batches) const {
    return std::min(share, saturating_multiply(batches, per_batch));
  }
  std::size_t consumed_by_all(std::size_t batches) const {
    return std::min(positions, saturating_multiply(world_size, saturating_multiply(batches, per_batch)));
  }
};

// The range of the number of rows that some batches can have in all.
struct Rows {
  std::size_t least;
  std::size_t most;
  bool hold(std::size_t rows) const { return rows >= least && rows <= most; }
};

Rows rows_of(const Division& division, const BatchSampler& order, std::size_t first, std::size_t last) {
  if (!order.batch_size()) return {last - first, saturating_multiply(last - first, order.max_batch_size())};
  const auto rows = [&](std::size_t share) {
    return division.consumed(share, last) - division.consumed(share, first);
  };
  const std::size_t one = rows(division.least_share()), other = rows(division.largest_share());
  return {std::min(one, other), std::max(one, other)};
}

void require_earlier(const LoaderState& state, const BatchSampler& order) {
  const auto& [consumed, batches, samples] = state.earlier;
  const std::size_t positions = order.positions(state.epoch);
  require(consumed.end() <= positions,
          fmt::format("position {} of an order of {} was consumed", consumed.end() - 1, positions));
  const std::size_t most =
      order.batch_size() ? consumed.size() : saturating_multiply(consumed.size(), order.max_batch_size());
  const bool fits = consumed.empty()
                        ? batches == 0 && samples == 0
                        : batches >= 1 && batches <= samples && batches <= consumed.size() && samples <= most;
  require(fits,
          fmt::format("before the batch size or the world size changed, {} positions were consumed in {} "
                      "batches of {} samples",
                      consumed.size(), batches, samples));
  require(
      state.batches >= batches && state.samples >= samples,
      fmt::format("{} batches of {} samples in all are fewer than the {} batches of {} samples before the "
                  "batch size or the world size changed",
                  state.batches, state.samples, batches, samples));
}

void require_delivered(const LoaderState& state, const BatchSampler& order) {
  const Division division = Division::of(state, order);
  const std::size_t batches = state.batches - state.earlier.batches,
                    samples = state.samples - state.earlier.samples;
  require(batches <= division.most_batches(),
          fmt::format("{} batches where there are {}", batches, division.most_batches()));
  require(rows_of(division, order, 0, batches).hold(samples),
          fmt::format("{} samples in {} batches", samples, batches));
  for (const auto& [number, rows] : state.ahead) {
    require(number > state.batches && number - state.earlier.batches < division.most_batches(),
            fmt::format("batch {} ahead of the first {}", number, state.batches));
    const std::size_t position = number - state.earlier.batches;
    require(rows >= 1 && rows_of(division, order, position, position + 1).hold(rows),
            fmt::format("batch {} with {} samples", number, rows));
  }
}

}  // namespace

void require_restorable(const LoaderState& state, const LoaderIdentity& loader) {
  require_equal("order", state.order, loader.order.fingerprint());
  require_equal("seed", state.seed, loader.seed);
  require_equal("dataset size", state.dataset_size, loader.dataset_size);
  require((state.batch_size > 0) == loader.order.batch_size().has_value(),
          fmt::format("batches of {} samples", state.batch_size));
  require(state.rank < state.world_size, fmt::format("rank {} of {}", state.rank, state.world_size));
  require_earlier(state, loader.order);
  require_delivered(state, loader.order);
}

bool same_division(const LoaderState& state, const BatchSampler& order) {
  return state.world_size == order.world_size() && state.batch_size == order.batch_size().value_or(0) &&
         (state.ahead.empty() || state.rank == order.rank());
}

PositionSet consumed_positions(const LoaderState& state, const BatchSampler& order) {
  if (!state.ahead.empty() && state.world_size > 1) {
    refuse(
        fmt::format("it was taken out of order on rank {} of {}, and does not say what the other ranks "
                    "consumed; restore it on that rank of as many, with the same batch size",
                    state.rank, state.world_size));
  }
  const Division division = Division::of(state, order);
  PositionSet gaps = PositionSet::below(division.consumed_by_all(state.batches - state.earlier.batches));
  for (const auto& [number, rows] : state.ahead) {
    const std::size_t batch = number - state.earlier.batches;
    gaps.insert({division.consumed_by_all(batch), division.consumed_by_all(batch + 1)});
  }
  PositionSet all = state.earlier.consumed;
  all.insert_missing(gaps);
  return all;
}

}  // namespace leat::detail
