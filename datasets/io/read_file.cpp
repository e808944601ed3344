#include "leat/datasets/io/read_file.h"

#include <fmt/format.h>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/file_reader.h"

namespace leat::detail {

void read_file(const std::filesystem::path& path, std::size_t max_bytes, std::vector<std::byte>& bytes) {
  const FileReader file(path);
  if (file.size() > max_bytes)
    throw DataError(file.path(), fmt::format("it has {} bytes, the limit is {}", file.size(), max_bytes));
  file.read(0, file.size(), bytes);
}

}  // namespace leat::detail
