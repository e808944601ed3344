// The parts of leat-sweep's manual beside its options.
#pragma once

#include "tools/common/manual.h"

namespace leat::tools {

ProgramText sweep_manual();

}  // namespace leat::tools
