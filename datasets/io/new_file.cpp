#include "leat/datasets/io/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace fs = std::filesystem;

NewFile::NewFile(fs::path temporary, IfThere if_there, unsigned mode)
    : name_(std::move(temporary)),
      fd_(::open(name_.c_str(),
                 O_WRONLY | O_CREAT | O_CLOEXEC | (if_there == IfThere::fail ? O_EXCL : O_TRUNC | O_NOFOLLOW),
                 mode)) {
  if (!fd_) throw_errno("create " + name_.string());
}

NewFile::~NewFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
}

void NewFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno("write " + name_.string());
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void NewFile::sync() {
  if (::fdatasync(fd_.get()) != 0) throw_errno("writing to the disk: " + name_.string());
}

void NewFile::keep_as(const fs::path& path) {
  if (std::rename(name_.c_str(), path.c_str()) != 0)
    throw_errno(fmt::format("rename {} to {}", name_.string(), path.string()));
  keep();
}

fs::path temporary_name(const fs::path& file) {
  std::random_device random;  // hosts that share the folder may have the same process numbers
  fs::path name = file;
  name += fmt::format(".{}-{:08x}.tmp", ::getpid(), random());
  return name;
}

void write_new_file(const fs::path& path, std::span<const std::byte> bytes) {
  NewFile file(path);
  file.write(bytes);
  file.keep();
}

void replace_file(const fs::path& file, std::span<const std::byte> bytes) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) throw SystemError("make the folder " + file.parent_path().string(), error.value());
  NewFile replacement(temporary_name(file));
  replacement.write(bytes);
  replacement.keep_as(file);
}

}  // namespace leat::detail
