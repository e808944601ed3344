// The check that all ranks train the same model.
#pragma once

#include <span>

#include "leat/parallel/communicator.h"
#include "leat/parallel/parameter.h"

namespace leat::detail {

// Compares number, names, dtypes and shapes of the parameters over all ranks. Throws CommunicationError on
// all of them where they differ, naming the first parameter that does and what two ranks hold there. The
// ranks exchange messages of equal size, whatever they hold, so the check itself cannot go out of step.
void require_same_parameters(Communicator& communicator, std::span<const Parameter> parameters,
                             StreamRef stream);

}  // namespace leat::detail
