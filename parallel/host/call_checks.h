// What every communicator demands of its arguments. All throw ArgumentError but for check_process().
#pragma once

#include <string_view>

#include "leat/datasets/base/process_identity.h"
#include "leat/parallel/communicator.h"

namespace leat::detail {

// Throws CommunicationError in another process than that of `owner`. `what` begins its text: "this communicator".
void check_process(const ProcessIdentity& owner, std::string_view what);

void check_stream(const Communicator& communicator, StreamRef stream);  // of the communicator's device
void check_span(TensorSpan span, std::string_view what);                // has memory, unless it is empty
void check_reducible(TensorSpan data);                                  // a dtype that all_reduce takes
void check_root(const Communicator& communicator, int root);            // a rank
void check_gather(const Communicator& communicator, TensorSpan from,
                  TensorSpan to);  // `to` is size() times `from`

}  // namespace leat::detail
