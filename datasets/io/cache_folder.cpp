#include "leat/datasets/io/cache_folder.h"

#include <fmt/format.h>

#include <cstdlib>

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

std::optional<fs::path> default_cache_folder() {
  if (const char* own = environment("LEAT_CACHE_DIR")) return own;
  if (const char* all = environment("XDG_CACHE_HOME")) return fs::path(all) / "leat";
  if (const char* home = environment("HOME")) return fs::path(home) / ".cache" / "leat";
  return std::nullopt;
}

std::string cache_key(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", value);
}

}  // namespace leat::detail
