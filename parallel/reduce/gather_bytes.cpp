#include "leat/parallel/reduce/gather_bytes.h"

namespace leat::detail {

std::vector<std::string> gather_bytes(Communicator& communicator, std::span<const std::byte> mine,
                                      StreamRef stream) {
  Device& device = communicator.device();
  const std::size_t bytes = mine.size();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const DeviceBuffer from = device.allocate(bytes);
  const DeviceBuffer to = device.allocate(bytes * ranks);
  std::string all(bytes * ranks, '\0');
  device.copy(from.data(), mine.data(), bytes, stream);
  communicator.all_gather({from.data(), bytes, DType::u8}, {to.data(), bytes * ranks, DType::u8}, stream);
  device.copy(all.data(), to.data(), all.size(), stream);
  stream.synchronize();
  std::vector<std::string> parts;
  parts.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) parts.push_back(all.substr(rank * bytes, bytes));
  return parts;
}

}  // namespace leat::detail
