// Files that gzip would write.
#pragma once

#include <string>
#include <string_view>

namespace leat::test {

std::string gzipped(std::string_view content);

}  // namespace leat::test
