// Tables that the manuals of several programs share.
#pragma once

#include "tools/common/manual.h"

namespace leat::tools {

// What --data takes; see find_images().
ManualTable data_uri_table();

// The variables of the environment that every program reads that loads data, and `more`.
ManualTable environment_table(const std::vector<std::pair<std::string, std::string>>& more = {});

}  // namespace leat::tools
