#include "leat/parallel/store/store_protocol.h"

#include <fmt/format.h>

#include "leat/parallel/communicator.h"
#include "leat/parallel/store/little_endian.h"

namespace leat::detail {
namespace {

void check_lengths(std::size_t key, std::size_t value) {
  if (key == 0 || key > kMaxStoreKey) {
    throw ArgumentError(fmt::format("a store key has 1 to {} bytes, not {}", kMaxStoreKey, key));
  }
  if (value > kMaxStoreValue) {
    throw ArgumentError(fmt::format("a store value has at most {} bytes, not {}", kMaxStoreValue, value));
  }
}

}  // namespace

std::string encode(const StoreRequest& request) {
  check_lengths(request.op == StoreOp::goodbye ? 1 : request.key.size(), request.value.size());
  std::string bytes(1, static_cast<char>(request.op));
  put_u32(bytes, request.wait_ms);
  put_u32(bytes, request.key.size());
  put_u32(bytes, request.value.size());
  return bytes + request.key + request.value;
}

std::string encode(const StoreReply& reply) {
  std::string bytes(1, static_cast<char>(reply.status));
  put_u32(bytes, reply.payload.size());
  return bytes + reply.payload;
}

std::optional<StoreRequest> take_request(std::string& buffer) {
  if (buffer.size() < kRequestHeaderBytes) return std::nullopt;
  const auto op = static_cast<std::uint8_t>(buffer[0]);
  const std::size_t key = get_u32(buffer, 5);
  const std::size_t value = get_u32(buffer, 9);
  if (op < 1 || op > 4) throw CommunicationError(fmt::format("operation {} does not exist", op));
  if (key > kMaxStoreKey || value > kMaxStoreValue) {
    throw CommunicationError(
        fmt::format("a frame with a key of {} and a value of {} bytes; the limits are {} and {}", key, value,
                    kMaxStoreKey, kMaxStoreValue));
  }
  if (buffer.size() < kRequestHeaderBytes + key + value) return std::nullopt;
  StoreRequest request{.op = static_cast<StoreOp>(op),
                       .wait_ms = get_u32(buffer, 1),
                       .key = buffer.substr(kRequestHeaderBytes, key),
                       .value = buffer.substr(kRequestHeaderBytes + key, value)};
  buffer.erase(0, kRequestHeaderBytes + key + value);
  return request;
}

StoreReplyHeader decode_reply_header(std::string_view bytes) {
  const auto status = static_cast<std::uint8_t>(bytes[0]);
  const std::size_t size = get_u32(bytes, 1);
  if (status > 2 || size > kMaxStoreValue) {
    throw CommunicationError("the answer is not that of a leat store; another program listens at this port");
  }
  return {.status = static_cast<StoreStatus>(status), .size = size};
}

}  // namespace leat::detail
