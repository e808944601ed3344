// Failures of communicators as values, which ranks pass to each other.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace leat::detail {

// The type of a CommunicationError, and what its constructor takes.
struct Failure {
  enum class Kind : std::uint32_t { other, peer_lost, peer_silent, disagreement };

  Kind kind = Kind::other;
  std::vector<int> ranks;  // one for peer_lost, none for other
  std::string text;        // the message
};

// Throws the failure as CommunicationError, PeerLost, PeerSilent or Disagreement.
[[noreturn]] void raise(const Failure& failure);
std::exception_ptr make_exception(const Failure& failure);

// Returns the failure that an exception stands for: kind `other` with the exception's message if it is no
// CommunicationError.
Failure failure_of(const std::exception& error);
Failure failure_of(const std::exception_ptr& error);

// Convert to text that a store keeps, and back. decode() takes any text; what is not the result of encode() becomes
// the message of a failure of kind `other`.
std::string encode(const Failure& failure);
Failure decode_failure(std::string_view text);

// Returns "rank 2 of 4" or "ranks 2, 3 of 4".
std::string name_ranks(const std::vector<int>& ranks, int size);

}  // namespace leat::detail
