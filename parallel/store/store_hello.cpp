#include "leat/parallel/store/store_hello.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>

#include "leat/parallel/communicator.h"
#include "leat/parallel/store/little_endian.h"

namespace leat::detail {
namespace {

constexpr std::string_view kMagic = "leat-kv3";

std::string code_of_hello(std::string_view secret, std::string_view server_nonce, std::string_view hello) {
  return hmac_sha256(secret, std::string("leat client").append(server_nonce).append(hello));
}

std::string code_of_welcome(std::string_view secret, std::string_view server_nonce, std::string_view hello,
                            std::string_view welcome) {
  return hmac_sha256(secret, std::string("leat server").append(server_nonce).append(hello).append(welcome));
}

std::string_view without_code(std::string_view bytes) {
  return bytes.substr(0, bytes.size() - kSha256Bytes);
}

std::string_view code_at_end(std::string_view bytes) {
  return bytes.substr(bytes.size() - kSha256Bytes);
}

}  // namespace

std::string make_nonce() {
  std::string nonce(kNonceBytes, '\0');
  if (::getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size()))
    throw_errno("getrandom");
  return nonce;
}

std::string encode_greeting(std::string_view server_nonce) {
  return std::string(kMagic).append(server_nonce);
}

bool begins_greeting(std::string_view bytes) {
  const std::size_t known = std::min(bytes.size(), kMagic.size());
  return bytes.substr(0, known) == kMagic.substr(0, known);
}

std::string_view nonce_of_greeting(std::string_view greeting) {
  return greeting.substr(kMagic.size(), kNonceBytes);
}

std::string encode(const StoreHello& hello, std::string_view secret, std::string_view server_nonce) {
  std::string bytes = std::string(kMagic).append(hello.nonce);
  put_u32(bytes, hello.port);
  put_u32(bytes, hello.world_size);
  put_u32(bytes, hello.rank);
  put_u32(bytes, hello.restart);
  put_u32(bytes, hello.run_id.size());
  bytes += hello.run_id;
  return bytes + code_of_hello(secret, server_nonce, bytes);
}

bool ReceivedHello::is_signed_by(std::string_view secret, std::string_view server_nonce) const {
  return equal_codes(code_at_end(bytes), code_of_hello(secret, server_nonce, without_code(bytes)));
}

std::optional<ReceivedHello> take_hello(std::string& buffer) {
  if (!begins_greeting(buffer)) throw CommunicationError("this is no leat store client");
  if (buffer.size() < kHelloHeaderBytes) return std::nullopt;
  const std::size_t fields = kMagic.size() + kNonceBytes;
  const std::size_t id_size = get_u32(buffer, fields + 16);
  if (id_size > kMaxRunId) {
    throw CommunicationError(fmt::format("a run id has at most {} bytes, not {}", kMaxRunId, id_size));
  }
  const std::size_t size = kHelloHeaderBytes + id_size + kSha256Bytes;
  if (buffer.size() < size) return std::nullopt;
  ReceivedHello received{.hello = {.nonce = buffer.substr(kMagic.size(), kNonceBytes),
                                   .port = get_u32(buffer, fields),
                                   .world_size = get_u32(buffer, fields + 4),
                                   .rank = get_u32(buffer, fields + 8),
                                   .restart = get_u32(buffer, fields + 12),
                                   .run_id = buffer.substr(kHelloHeaderBytes, id_size)},
                         .bytes = buffer.substr(0, size)};
  buffer.erase(0, size);
  return received;
}

std::string encode(const StoreWelcome& welcome, std::string_view secret, std::string_view server_nonce,
                   std::string_view hello) {
  const std::string_view payload = std::string_view(welcome.payload).substr(0, kMaxWelcomePayload);
  std::string bytes(1, static_cast<char>(welcome.status));
  put_u32(bytes, payload.size());
  bytes += payload;
  return bytes + code_of_welcome(secret, server_nonce, hello, bytes);
}

std::size_t bytes_after_header(std::string_view welcome_header) {
  const auto status = static_cast<std::uint8_t>(welcome_header[0]);
  const std::size_t size = get_u32(welcome_header, 1);
  if (status == 1 || status > 4 || size > kMaxWelcomePayload) {
    throw CommunicationError("the answer is not that of a leat store");
  }
  return size + kSha256Bytes;
}

std::optional<StoreWelcome> decode_welcome(std::string_view bytes, std::string_view secret,
                                           std::string_view server_nonce, std::string_view hello) {
  const std::string_view welcome = without_code(bytes);
  if (!equal_codes(code_at_end(bytes), code_of_welcome(secret, server_nonce, hello, welcome)))
    return std::nullopt;
  return StoreWelcome{.status = static_cast<WelcomeStatus>(welcome[0]),
                      .payload = std::string(welcome.substr(kWelcomeHeaderBytes))};
}

}  // namespace leat::detail
