// The parts of leat-convert's manual beside its options.
#pragma once

#include "tools/common/manual.h"

namespace leat::tools {

ProgramText convert_manual();

}  // namespace leat::tools
