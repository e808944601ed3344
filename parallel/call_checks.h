// What every communicator demands of its arguments. All throw ArgumentError.
#pragma once

#include <string_view>

#include "parallel/communicator.h"

namespace leat {

void check_stream(const Communicator& communicator, StreamRef stream);  // of the communicator's device
void check_span(FlatSpan span, std::string_view what);                  // has memory, unless it is empty
void check_reducible(FlatSpan data);                                    // a dtype that all_reduce takes
void check_root(const Communicator& communicator, int root);            // a rank
void check_gather(const Communicator& communicator, FlatSpan from,
                  FlatSpan to);  // `to` is size() times `from`

}  // namespace leat
