#include "leat/parallel/parameter_shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "leat/parallel/reduce/parameter_agreement.h"

namespace leat {

using namespace detail;

ParameterShards::ParameterShards(Communicator& communicator, std::vector<Parameter> parameters,
                                 double bucket_cap_mb)
    : communicator_(communicator), parameters_(std::move(parameters)), owner_(parameters_.size()) {
  if (!std::isfinite(bucket_cap_mb) || bucket_cap_mb <= 0 || bucket_cap_mb > 1024 * 1024) {
    throw ArgumentError(
        fmt::format("bucket_cap_mb is {}; it must be above 0 and at most 1048576 MiB", bucket_cap_mb));
  }
  for (const Parameter& parameter : parameters_) {
    if (parameter.value.data == nullptr && parameter.value.count() > 0)
      throw ArgumentError(fmt::format("parameter \"{}\" has no memory", parameter.name));
  }
  const Stream stream = communicator_.device().make_stream();
  require_same_parameters(communicator_, parameters_, stream);
  divide();
  plan_messages(static_cast<std::size_t>(std::ceil(bucket_cap_mb * 1024 * 1024)));
}

void ParameterShards::divide() {
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The largest first, and of equal ones the one with the smaller index.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::size_t of_a = parameters_[a].value.bytes(), of_b = parameters_[b].value.bytes();
    return of_a != of_b ? of_a > of_b : a < b;
  });
  std::vector<std::size_t> bytes(static_cast<std::size_t>(communicator_.size()));
  for (const std::size_t i : order) {
    const auto least = std::min_element(bytes.begin(), bytes.end());  // the first of several
    owner_[i] = static_cast<int>(least - bytes.begin());
    *least += parameters_[i].value.bytes();
  }
}

void ParameterShards::plan_messages(std::size_t cap_bytes) {
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    Message current{.owner = rank};
    const auto close = [&] {
      if (!current.parameters.empty()) messages_.push_back(std::exchange(current, Message{.owner = rank}));
    };
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t bytes = parameters_[i].value.bytes();
      if (owner_[i] != rank || bytes == 0) continue;
      if (current.bytes > 0 && bytes > cap_bytes - std::min(cap_bytes, current.bytes)) close();
      current.parameters.push_back(i);
      current.bytes += bytes;
    }
    close();
  }
  std::size_t most = 0;
  for (const Message& message : messages_) {
    if (message.parameters.size() > 1) most = std::max(most, message.bytes);
  }
  if (most > 0) buffer_ = communicator_.allocate(most);
}

int ParameterShards::owner(std::size_t i) const {
  if (i >= size()) throw ArgumentError(fmt::format("parameter {} does not exist; there are {}", i, size()));
  return owner_[i];
}

std::vector<std::size_t> ParameterShards::owned() const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < size(); ++i) {
    if (owner_[i] == communicator_.rank()) list.push_back(i);
  }
  return list;
}

void ParameterShards::exchange(StreamRef stream) {
  for (const Message& message : messages_) {
    const bool is_mine = message.owner == communicator_.rank();
    if (message.parameters.size() == 1) {
      const TensorView& value = parameters_[message.parameters[0]].value;
      communicator_.broadcast({value.data, value.bytes(), DType::u8}, message.owner, stream);
      continue;
    }
    if (is_mine) pack(message, true, stream);
    communicator_.broadcast({buffer_.data(), message.bytes, DType::u8}, message.owner, stream);
    if (!is_mine) pack(message, false, stream);
  }
}

// Copies the parameters of a message into the buffer, or from there.
void ParameterShards::pack(const Message& message, bool packs, StreamRef stream) {
  std::vector<MemoryCopy> copies;
  copies.reserve(message.parameters.size());
  std::byte* place = buffer_.data();
  for (const std::size_t i : message.parameters) {
    const TensorView& value = parameters_[i].value;
    copies.push_back(packs ? MemoryCopy{.to = place, .from = value.data, .bytes = value.bytes()}
                           : MemoryCopy{.to = value.data, .from = place, .bytes = value.bytes()});
    place += value.bytes();
  }
  communicator_.device().copy_all(copies, stream);
}

}  // namespace leat
