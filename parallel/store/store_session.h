// A client's connection, on the server's side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "leat/datasets/base/unique_fd.h"
#include "leat/parallel/store/deadline.h"
#include "leat/parallel/store/store_protocol.h"

namespace leat::detail {

// Buffers the bytes of a non-blocking socket in both directions. Handles one request at a time: while a reply is
// outstanding, nothing more is read, so a client cannot make the server hold more than one frame in each direction.
// Before its hello, not more than that is read of a client. Not thread-safe.
class StoreSession {
 public:
  explicit StoreSession(UniqueFd fd);  // sends the greeting

  int fd() const noexcept { return fd_.get(); }
  const std::string& peer() const noexcept { return peer_; }

  short wanted_events() const noexcept;  // for poll(2)
  void receive();                        // reads what has arrived
  void flush();                          // writes as much as the socket takes
  void reply(const StoreReply& reply);   // also ends a wait
  void refuse(std::string_view why);     // replies, then closes once the reply is sent
  void send(std::string_view bytes);
  void close_when_sent() noexcept { closing_ = true; }
  bool has_left();  // whether the client has closed the connection; what it sent before is not lost

  // Tells whether the connection ended though a rank did not say goodbye.
  bool is_lost() const noexcept { return rank.has_value() && (closed_ || closing_); }
  bool finished() const noexcept { return closed_ || (closing_ && out_.empty()); }
  bool ready_for_next() const noexcept { return !waiting && !closing_ && !closed_ && out_.empty(); }
  std::string& input() noexcept { return in_; }

  const std::string& nonce() const noexcept { return nonce_; }  // of the greeting

  // The server's data about each client.
  struct Wait {
    std::string key;
    Deadline deadline;
  };
  std::optional<int> rank;      // set after the hello, and reset by the goodbye
  std::optional<Wait> waiting;  // a get whose key does not exist yet
  Deadline hello_deadline;

 private:
  const UniqueFd fd_;
  const std::string peer_;
  const std::string nonce_;
  std::string in_;
  std::string out_;
  bool closing_ = false;
  bool closed_ = false;
};

}  // namespace leat::detail
