// The type of a failed call's error, and the ranks that it names.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <string>

#include "leat/parallel/communicator.h"

namespace leat::test {

// Returns "PeerLost 2: <message>", "PeerSilent 1 2: ...", "Disagreement 0 2: ...", "CommunicationError: ...", or "" if
// nothing is thrown.
inline std::string kind_of_error(const std::function<void()>& call) {
  try {
    call();
  } catch (const PeerLost& error) {
    return fmt::format("PeerLost {}: {}", error.rank(), error.what());
  } catch (const PeerSilent& error) {
    return fmt::format("PeerSilent {}: {}", fmt::join(error.ranks(), " "), error.what());
  } catch (const Disagreement& error) {
    return fmt::format("Disagreement {}: {}", fmt::join(error.ranks(), " "), error.what());
  } catch (const CommunicationError& error) {
    return fmt::format("CommunicationError: {}", error.what());
  } catch (const MemoryError& error) {
    return fmt::format("MemoryError: {}", error.what());
  } catch (const std::exception& error) {
    return fmt::format("exception: {}", error.what());
  }
  return "";
}

}  // namespace leat::test
