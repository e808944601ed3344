#include "leat/parallel/host/failure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "leat/parallel/communicator.h"

namespace leat::detail {
namespace {

constexpr std::string_view kMark = "leat-failure ";

// Reads the number at the start of `text`, and removes it and the character behind it.
bool take_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || number < 0 || length >= text.size()) return false;
  text.remove_prefix(length + 1);
  return true;
}

}  // namespace

void raise(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::peer_lost:
      if (!failure.ranks.empty()) throw PeerLost(failure.ranks.front(), failure.text);
      break;
    case Failure::Kind::peer_silent:
      throw PeerSilent(failure.ranks, failure.text);
    case Failure::Kind::disagreement:
      throw Disagreement(failure.ranks, failure.text);
    case Failure::Kind::other:
      break;
  }
  throw CommunicationError(failure.text);
}

std::exception_ptr make_exception(const Failure& failure) {
  try {
    raise(failure);
  } catch (...) {
    return std::current_exception();
  }
}

Failure failure_of(const std::exception& error) {
  if (const auto* lost = dynamic_cast<const PeerLost*>(&error)) {
    return {.kind = Failure::Kind::peer_lost, .ranks = {lost->rank()}, .text = error.what()};
  }
  if (const auto* silent = dynamic_cast<const PeerSilent*>(&error)) {
    return {.kind = Failure::Kind::peer_silent, .ranks = silent->ranks(), .text = error.what()};
  }
  if (const auto* differ = dynamic_cast<const Disagreement*>(&error)) {
    return {.kind = Failure::Kind::disagreement, .ranks = differ->ranks(), .text = error.what()};
  }
  return {.kind = Failure::Kind::other, .ranks = {}, .text = what_of(error)};
}

Failure failure_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return failure_of(known);
  } catch (...) {
    return {.kind = Failure::Kind::other, .ranks = {}, .text = "an exception of unknown type"};
  }
}

std::string encode(const Failure& failure) {
  return fmt::format("{}{} {} {}:{}", kMark, static_cast<std::uint32_t>(failure.kind), failure.ranks.size(),
                     fmt::join(failure.ranks, " "), failure.text);
}

Failure decode_failure(std::string_view text) {
  Failure unknown{.kind = Failure::Kind::other, .ranks = {}, .text = std::string(text)};
  if (!text.starts_with(kMark)) return unknown;
  text.remove_prefix(kMark.size());
  int kind = 0, count = 0;
  if (!take_number(text, kind) || !take_number(text, count)) return unknown;
  Failure failure;
  for (int i = 0; i < count; ++i) {
    int rank = 0;
    if (!take_number(text, rank)) return unknown;
    failure.ranks.push_back(rank);
  }
  if (count == 0) {
    if (!text.starts_with(':')) return unknown;
    text.remove_prefix(1);
  }
  if (kind > static_cast<int>(Failure::Kind::disagreement)) return unknown;
  failure.kind = static_cast<Failure::Kind>(kind);
  failure.text = text;
  return failure;
}

std::string name_ranks(const std::vector<int>& ranks, int size) {
  return fmt::format("rank{} {} of {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "), size);
}

}  // namespace leat::detail
