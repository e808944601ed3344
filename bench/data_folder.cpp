#include "bench/data_folder.h"

#include "leat/datasets/errors.h"
#include "leat/datasets/io/cache_folder.h"

namespace leat::bench {

using namespace detail;

std::filesystem::path data_folder(std::string_view name) {
  const auto cache = default_cache_folder();
  if (!cache) throw Error("there is no place for the benchmark's data: set LEAT_CACHE_DIR to a folder");
  const std::filesystem::path folder = *cache / "bench";
  std::filesystem::create_directories(folder);
  return folder / name;
}

}  // namespace leat::bench
