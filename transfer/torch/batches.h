/// \file
/// Loops over batches of LibTorch's tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "leat/loader/batch_range.h"
#include "leat/loader/data_loader.h"
#include "leat/torch/batch.h"
#include "leat/transfer/device.h"
#include "leat/transfer/prefetcher.h"

namespace leat::torch {

/// Returns the next batch of a loader; nullopt at the end of the epoch. Throws what its next() throws.
inline std::optional<Batch> next(DataLoader& loader) {
  auto batch = loader.next();
  if (!batch) return std::nullopt;
  return Batch(std::move(*batch));
}

/// Returns the next batch of a prefetcher, for work on the stream `consumer`; nullopt at the end of the epoch. Throws
/// what its next() throws.
inline std::optional<Batch> next(Prefetcher& feed, StreamRef consumer) {
  auto batch = feed.next(consumer);
  if (!batch) return std::nullopt;
  return Batch(std::move(*batch));
}

/// Iterates over what is left of the current epoch; see DataLoader::rest().
inline BatchRange<Batch> rest(DataLoader& loader, SampleErrorHandler on_error = nullptr) {
  return BatchRange<Batch>([&loader] { return next(loader); }, std::move(on_error));
}

/// Begins an epoch and iterates over it: for (auto& batch : leat::torch::batches(loader, 3)). See DataLoader::epoch().
inline BatchRange<Batch> batches(DataLoader& loader, std::uint64_t epoch,
                                 SampleErrorHandler on_error = nullptr) {
  loader.start_epoch(epoch);
  return rest(loader, std::move(on_error));
}

/// Iterates over what is left of the current epoch, for work on the stream `consumer`; see Prefetcher::rest().
inline BatchRange<Batch> rest(Prefetcher& feed, StreamRef consumer, SampleErrorHandler on_error = nullptr) {
  return BatchRange<Batch>([&feed, consumer] { return next(feed, consumer); }, std::move(on_error));
}

/// Begins an epoch and iterates over it, for work on the stream `consumer`, which must be LibTorch's current stream;
/// see Prefetcher::epoch(). leat::StreamRef(device, nullptr) is CUDA's default stream, where LibTorch works unless it
/// is told otherwise.
inline BatchRange<Batch> batches(Prefetcher& feed, std::uint64_t epoch, StreamRef consumer,
                                 SampleErrorHandler on_error = nullptr) {
  feed.start_epoch(epoch);
  return rest(feed, consumer, std::move(on_error));
}

}  // namespace leat::torch
