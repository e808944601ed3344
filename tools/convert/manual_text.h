// What leat-convert's manual says beside its options.
#pragma once

#include "tools/common/manual.h"

namespace leat::tools {

ProgramText convert_manual();

}  // namespace leat::tools
