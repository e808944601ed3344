#include "tests/transfer/support/device_contract.h"

namespace leat::test {

std::vector<Clause> device_contract() {
  std::vector<Clause> all;
  for (const auto& group : {stream_clauses(), event_clauses(), failure_clauses(), memory_clauses(),
                            normalize_clauses(), batch_operation_clauses(), mixing_clauses()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

std::vector<std::byte> download(StreamRef stream, const void* memory, std::size_t bytes) {
  std::vector<std::byte> host(bytes);
  stream.device().copy(host.data(), memory, bytes, stream);
  stream.synchronize();
  return host;
}

std::vector<std::byte> byte_ramp(std::size_t size, unsigned start, unsigned step) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(start + i * step);
  return bytes;
}

}  // namespace leat::test
