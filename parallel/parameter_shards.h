/// \file
/// The division of parameters among ranks, each of which updates a share of them.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/datasets/export.h"
#include "leat/parallel/communicator.h"
#include "leat/parallel/parameter.h"

namespace leat {

/// Divides parameters among the ranks, so that each rank needs the optimizer's state of its share only (ZeRO, stage 1):
///
///     ParameterShards shards{communicator, parameters};
///     for each step:
///       all ranks have the reduced gradients
///       optimizer step over the parameters shards.owned(), on `stream`
///       shards.exchange(stream);  // work enqueued on `stream` from here on sees all new values
///
/// Whole parameters are given to ranks, the largest first, each to the rank that has the fewest bytes so far. One
/// thread at a time uses an object. The communicator and the parameters' memory outlive it. When it is destroyed, no
/// stream may still be exchanging.
class LEAT_EXPORT ParameterShards {
 public:
  /// Verifies that all ranks have the same parameters, and divides them; gradients are not looked at. All ranks call
  /// it, and wait for each other. Parameters that are smaller than `bucket_cap_mb` MiB are exchanged together in
  /// messages of at most that size, in memory that is allocated now. Throws ArgumentError for a parameter without
  /// memory and for a cap that is not above 0; CommunicationError for what differs between ranks.
  ParameterShards(Communicator& communicator, std::vector<Parameter> parameters, double bucket_cap_mb = 25);

  std::size_t size() const noexcept { return owner_.size(); }  ///< number of parameters
  /// Returns the rank that updates parameter i. Throws ArgumentError if there is no such parameter.
  int owner(std::size_t i) const;
  /// Returns the numbers of the parameters that this rank updates, in ascending order; there may be none.
  std::vector<std::size_t> owned() const;

  /// Gives the values of each parameter's owner to all ranks. All ranks call it. It is enqueued on `stream`, behind the
  /// work that updates this rank's share; the host does not wait. Errors between ranks are those of `stream`.
  void exchange(StreamRef stream);

 private:
  struct Message {  // parameters of one rank that travel together; one alone travels from its own memory
    int owner = 0;
    std::vector<std::size_t> parameters{};
    std::size_t bytes = 0;
  };

  void divide();
  void plan_messages(std::size_t cap_bytes);
  void pack(const Message& message, bool packs, StreamRef stream);

  Communicator& communicator_;
  std::vector<Parameter> parameters_;
  std::vector<int> owner_;
  std::vector<Message> messages_;
  CommunicationBuffer buffer_;  // of the largest message with several parameters
};

}  // namespace leat
