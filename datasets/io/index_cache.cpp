#include "leat/datasets/io/index_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/absolute_path.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/byte_writer.h"
#include "leat/datasets/io/cache_folder.h"
#include "leat/datasets/io/crc32c.h"
#include "leat/datasets/io/new_file.h"
#include "leat/datasets/io/read_file.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "LEATIDX1";
constexpr std::size_t kMaxIndex = std::size_t{4} << 30;

std::vector<std::byte> head_of(std::string_view kind, const FileReader& file) {
  std::vector<std::byte> head;
  append_text(head, kMagic);
  append_little(head, static_cast<std::uint32_t>(kind.size()));
  append_text(head, kind);
  append_little(head, file.size());
  append_little(head, file.modified_ns());
  return head;
}

// Returns the payload of an index file. Throws DataError if the index is damaged or belongs to another file.
std::span<const std::byte> payload_of(std::span<const std::byte> bytes, std::span<const std::byte> head,
                                      const fs::path& path) {
  const std::string name = path.string();
  ByteReader reader(bytes, name);
  if (!std::ranges::equal(reader.take(head.size()), head))
    reader.fail("it is of another file, or of another version");
  const auto payload = reader.take(reader.little<std::uint64_t>());
  const auto sum = crc32c(bytes.first(bytes.size() - reader.remaining()));
  if (reader.little<std::uint32_t>() != sum) reader.fail("its checksum is wrong");
  return payload;
}

}  // namespace

IndexCache::IndexCache(std::string kind, IndexOptions options)
    : kind_(std::move(kind)), options_(std::move(options)) {}

fs::path IndexCache::path_for(const FileReader& file) const {
  if (options_.place == IndexPlace::nowhere) return {};
  if (options_.place == IndexPlace::beside) return file.path() + "." + kind_;
  const auto folder = options_.folder.empty() ? default_cache_folder() : std::optional(options_.folder);
  if (!folder) return {};
  const fs::path whole = absolute_path(file.path());
  return *folder / "index" /
         fmt::format("{}-{}.{}", whole.filename().string(), cache_key(whole.string()), kind_);
}

bool IndexCache::load(const FileReader& file,
                      const std::function<void(std::span<const std::byte>)>& accept) const {
  const fs::path path = path_for(file);
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) return false;
  try {
    std::vector<std::byte> bytes;
    read_file(path, kMaxIndex, bytes);
    accept(payload_of(bytes, head_of(kind_, file), path));
    return true;
  } catch (const Error&) {
    return false;  // whatever is wrong with it, it can be made again
  }
}

void IndexCache::store(const FileReader& file, std::span<const std::byte> payload) const {
  if (options_.place == IndexPlace::nowhere) return;
  try {
    const fs::path path = path_for(file);
    if (path.empty()) throw ArgumentError("there is no cache folder; set LEAT_CACHE_DIR to one");
    std::vector<std::byte> bytes = head_of(kind_, file);
    append_little(bytes, std::uint64_t{payload.size()});
    append_bytes(bytes, payload);
    append_little(bytes, crc32c(bytes));
    replace_file(path, bytes);
  } catch (const Error& problem) {
    warn(options_.on_warning,
         fmt::format("the index of {} was made, but cannot be kept: {}", file.path(), problem.what()));
  }
}

void IndexCache::use(const FileReader& file, const std::function<std::vector<std::byte>()>& make,
                     const std::function<void(std::span<const std::byte>)>& accept) const {
  if (load(file, accept)) return;
  const std::vector<std::byte> payload = make();
  accept(payload);
  store(file, payload);
}

}  // namespace leat::detail
