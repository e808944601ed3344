// The first messages of a connection to a store, by which both sides prove that they belong to one job. Integers are
// little-endian and unsigned.
//
//   greeting   server to client, at once:  magic[8] = "leat-kv3", server nonce[16]
//   hello      client to server:           magic[8], client nonce[16], port u32, world_size u32, rank u32,
//                                          restart u32, run_id_size u32, run_id, code[32]
//   welcome    server to client:           status u8, size u32, payload, code[32]
//
// The codes are HMAC-SHA256 under the job's secret, which is never sent:
//   of the hello:    "leat client", server nonce, the hello up to its code
//   of the welcome:  "leat server", server nonce, the whole hello, the welcome up to its code
// Each side contributes a nonce to what the other side signs, so recorded messages are worthless. The port is the one
// that the client has connected to: a program at another port cannot pass messages on to the store. Messages after the
// welcome are not signed: the secret keeps out whoever can connect, not whoever can change packets on their way.
//
// A client sends nothing before it has the greeting, so that it does not disturb an unrelated program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "leat/parallel/store/sha256.h"

namespace leat::detail {

inline constexpr std::size_t kNonceBytes = 16;
inline constexpr std::size_t kGreetingBytes = 8 + kNonceBytes;
inline constexpr std::size_t kMaxRunId = 256;  // bytes
inline constexpr std::size_t kHelloHeaderBytes = 8 + kNonceBytes + 20;
inline constexpr std::size_t kMaxHelloBytes = kHelloHeaderBytes + kMaxRunId + kSha256Bytes;
inline constexpr std::size_t kWelcomeHeaderBytes = 5;
inline constexpr std::size_t kMaxWelcomePayload = 4096;  // bytes

std::string make_nonce();  // kNonceBytes random bytes; throws SystemError

std::string encode_greeting(std::string_view server_nonce);

// Returns whether `bytes`, kGreetingBytes or fewer, are the beginning of a greeting.
bool begins_greeting(std::string_view bytes);
std::string_view nonce_of_greeting(std::string_view greeting);

struct StoreHello {
  std::string nonce{};     // of the client
  std::uint32_t port = 0;  // of the server
  std::uint32_t world_size = 0;
  std::uint32_t rank = 0;
  std::uint32_t restart = 0;
  std::string run_id{};
};

std::string encode(const StoreHello& hello, std::string_view secret, std::string_view server_nonce);

// A hello, and the bytes in which it came.
struct ReceivedHello {
  StoreHello hello;
  std::string bytes;

  bool is_signed_by(std::string_view secret, std::string_view server_nonce) const;
};

// Removes one whole hello from the front of `buffer`. Returns nullopt if more bytes are needed. Throws
// CommunicationError for bytes that cannot become a hello. Does not check the code.
std::optional<ReceivedHello> take_hello(std::string& buffer);

enum class WelcomeStatus : std::uint8_t {
  ok = 0,
  refused = 2,          // the payload says why
  other_job = 3,        // the store belongs to another job, or is at another port; the payload says which
  earlier_attempt = 4,  // the store belongs to this job, before it was started again
};

struct StoreWelcome {
  WelcomeStatus status = WelcomeStatus::ok;
  std::string payload{};  // at most kMaxWelcomePayload bytes; encode() cuts what is longer
};

std::string encode(const StoreWelcome& welcome, std::string_view secret, std::string_view server_nonce,
                   std::string_view hello);

// Returns the number of bytes that follow the header. Throws CommunicationError if it is not a welcome.
std::size_t bytes_after_header(std::string_view welcome_header);

// Reads a whole welcome. Returns nullopt if its code is not that of `secret`.
std::optional<StoreWelcome> decode_welcome(std::string_view bytes, std::string_view secret,
                                           std::string_view server_nonce, std::string_view hello);

}  // namespace leat::detail
