// The check that all ranks train the same model.
#pragma once

#include <span>

#include "leat/parallel/communicator.h"
#include "leat/parallel/parameter.h"

namespace leat::detail {

// Compares the number, names, dtypes and shapes of the parameters over all ranks. If they differ, throws
// CommunicationError on all ranks, naming the first parameter that differs and its form on two ranks. The ranks
// exchange messages of equal size, whatever their parameters, so the check itself cannot get out of step.
void require_same_parameters(Communicator& communicator, std::span<const Parameter> parameters,
                             StreamRef stream);

}  // namespace leat::detail
