// The protocol between a TcpStore and its server, after the welcome (see store_hello.h). Integers are little-endian
// and unsigned.
//
//   request  client to server:        op u8, wait_ms u32, key_size u32, value_size u32, key, value
//   reply    server to client, one for each request, in order:
//                                     status u8, size u32, payload
//
// Nothing beyond these fields is parsed, and each length is checked before memory is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::detail {

inline constexpr std::size_t kMaxStoreKey = 1024;                    // bytes
inline constexpr std::size_t kMaxStoreValue = std::size_t{1} << 20;  // bytes
inline constexpr std::size_t kRequestHeaderBytes = 13;
inline constexpr std::size_t kReplyHeaderBytes = 5;

// The key at which the server lists the ranks whose connections ended without a goodbye: "1 3", in ascending order. A
// rank that connects again is taken off the list. Not set as long as no rank was lost.
inline constexpr const char* kLostRanksKey = "leat/lost";

enum class StoreOp : std::uint8_t {
  set = 1,      // key := value
  get = 2,      // replies when the key exists, or after wait_ms with `missing`
  add = 3,      // key := key + value, both decimal; replies with the sum
  goodbye = 4,  // the client will close without error
};

struct StoreRequest {
  StoreOp op = StoreOp::get;
  std::uint32_t wait_ms = 0;
  std::string key{};
  std::string value{};
};

enum class StoreStatus : std::uint8_t {
  ok = 0,
  missing = 1,  // the key does not exist
  refused = 2,  // the payload says why; the server closes the connection
};

struct StoreReply {
  StoreStatus status = StoreStatus::ok;
  std::string payload{};
};

std::string encode(const StoreRequest& request);  // throws ArgumentError for a key or value beyond the limits
std::string encode(const StoreReply& reply);

// Removes one whole message from the front of `buffer`. Returns nullopt if more bytes are needed. Throws
// CommunicationError for bytes that cannot become a valid message.
std::optional<StoreRequest> take_request(std::string& buffer);

struct StoreReplyHeader {
  StoreStatus status = StoreStatus::ok;
  std::size_t size = 0;
};
StoreReplyHeader decode_reply_header(std::string_view bytes);  // kReplyHeaderBytes; throws CommunicationError

}  // namespace leat::detail
