#include "leat/parallel/store/store_protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

constexpr std::string_view kMagic = "leat-kv1";

void put_u32(std::string& bytes, std::size_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>((value >> shift) & 0xff));
}

std::uint32_t get_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

void check_lengths(std::size_t key, std::size_t value) {
  if (key == 0 || key > kMaxStoreKey) {
    throw ArgumentError(fmt::format("a store key has 1 to {} bytes, not {}", kMaxStoreKey, key));
  }
  if (value > kMaxStoreValue) {
    throw ArgumentError(fmt::format("a store value has at most {} bytes, not {}", kMaxStoreValue, value));
  }
}

}  // namespace

std::string encode(const StoreHello& hello) {
  std::string bytes(kMagic);
  put_u32(bytes, hello.world_size);
  put_u32(bytes, hello.rank);
  return bytes;
}

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

std::optional<StoreHello> take_hello(std::string& buffer) {
  const std::size_t known = std::min(buffer.size(), kMagic.size());
  if (std::string_view(buffer).substr(0, known) != kMagic.substr(0, known)) {
    throw CommunicationError("this is no leat store client");
  }
  if (buffer.size() < kHelloBytes) return std::nullopt;
  const StoreHello hello{.world_size = get_u32(buffer, 8), .rank = get_u32(buffer, 12)};
  buffer.erase(0, kHelloBytes);
  return hello;
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
