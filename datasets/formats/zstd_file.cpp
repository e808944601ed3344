#include "leat/datasets/formats/zstd_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/cache_folder.h"
#include "leat/datasets/formats/file_reader.h"
#include "leat/datasets/formats/inflater.h"

namespace leat {

using namespace detail;

namespace {

namespace fs = std::filesystem;

// A file under a temporary name, which goes away unless it is kept.
class NewFile {
 public:
  explicit NewFile(const fs::path& name)
      : name_(name), fd_(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {
    if (!fd_) throw_errno("create " + name_.string());
  }
  ~NewFile() {
    std::error_code ignored;
    if (!name_.empty()) fs::remove(name_, ignored);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(fd_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw_errno("write " + name_.string());
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  void keep_as(const fs::path& final_name) {
    if (::fdatasync(fd_.get()) != 0) throw_errno("fdatasync " + name_.string());
    if (::rename(name_.c_str(), final_name.c_str()) != 0) {
      throw_errno(fmt::format("rename {} to {}", name_.string(), final_name.string()));
    }
    name_.clear();
  }

 private:
  fs::path name_;
  UniqueFd fd_;
};

// Throws DataError unless exactly `bytes` come out of the file.
void inflate_into(NewFile& out, const FileReader& in, std::uint64_t bytes) {
  const auto inflater = make_zstd_inflater(in);
  std::vector<std::byte> part;
  while (inflater->inflate(part)) {
    if (part.size() > bytes) throw DataError(in.path(), "more comes out of it than its index says");
    bytes -= part.size();
    out.write(part);
    part.clear();
  }
  if (bytes == 0) return;
  throw DataError(in.path(), fmt::format("{} bytes fewer come out of it than its index says", bytes));
}

}  // namespace

void inflate_zstd(const fs::path& compressed, std::uint64_t bytes, const fs::path& inflated) {
  const FileReader in(compressed);
  std::error_code error;
  fs::create_directories(inflated.parent_path(), error);
  if (error) throw SystemError("make the folder " + inflated.parent_path().string(), error.value());
  NewFile out(temporary_name(inflated));
  inflate_into(out, in, bytes);
  out.keep_as(inflated);
}

}  // namespace leat
