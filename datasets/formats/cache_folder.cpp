#include "leat/datasets/formats/cache_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <random>

#include "leat/datasets/errors.h"
#include "leat/datasets/write_file.h"

namespace leat {

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

fs::path temporary_name(const fs::path& file) {
  std::random_device random;  // hosts that share the folder may have the same process numbers
  fs::path name = file;
  name += fmt::format(".{}-{:08x}.tmp", ::getpid(), random());
  return name;
}

void replace_file(const fs::path& file, std::span<const std::byte> bytes) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) throw SystemError("make the folder " + file.parent_path().string(), error.value());
  const fs::path temporary = temporary_name(file);
  try {
    write_new_file(temporary, bytes);
    fs::rename(temporary, file, error);
    if (error)
      throw SystemError(fmt::format("rename {} to {}", temporary.string(), file.string()), error.value());
  } catch (...) {
    fs::remove(temporary, error);
    throw;
  }
}

}  // namespace leat
