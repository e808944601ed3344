// Checks of the arguments of collectives. All throw ArgumentError, except check_process().
#pragma once

#include <string_view>

#include "leat/datasets/base/process_identity.h"
#include "leat/parallel/communicator.h"

namespace leat::detail {

// Throws CommunicationError in any process except that of `owner`. `what` begins the message: "this communicator".
void check_process(const ProcessIdentity& owner, std::string_view what);

void check_stream(const Communicator& communicator, StreamRef stream);  // must be a stream of its device
void check_span(TensorSpan span, std::string_view what);                // must have memory, unless empty
void check_reducible(TensorSpan data, ReduceOp op,
                     std::string_view what);                  // must have a dtype for the operation
void check_root(const Communicator& communicator, int root);  // must be a rank
void check_peer(const Communicator& communicator, int peer, std::string_view what);  // must be another rank
void check_gather(const Communicator& communicator, TensorSpan from,
                  TensorSpan to);  // `to` must be size() times `from`
// `from` must be size() times `to`, which is this rank's place in it or lies elsewhere.
void check_scatter(const Communicator& communicator, TensorSpan from, TensorSpan to);

}  // namespace leat::detail
