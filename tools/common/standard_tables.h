// Tables that the manuals of several programs share.
#pragma once

#include "tools/common/manual.h"

namespace leat::tools {

// Returns the table of the values of --data; see find_images().
ManualTable data_uri_table();

// Returns the table of the environment variables that every program reads if it loads data, and of `more` variables.
ManualTable environment_table(const std::vector<std::pair<std::string, std::string>>& more = {});

}  // namespace leat::tools
