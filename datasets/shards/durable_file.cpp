#include "leat/datasets/shards/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

void write_all(int fd, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno("writing " + path.string());
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace

DurableFile::DurableFile(std::filesystem::path path)
    : path_(std::move(path)),
      temporary_(path_.string() + ".tmp"),
      file_(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  if (!file_) throw_errno("create " + temporary_.string());
  buffer_.reserve(kBufferBytes);
}

DurableFile::~DurableFile() {
  if (file_) ::unlink(temporary_.c_str());
}

void DurableFile::write(std::span<const std::byte> bytes) {
  checksum_.update(bytes);
  size_ += bytes.size();
  const bool direct = bytes.size() > kBufferBytes / 2;
  if (direct || buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (direct) {
    write_all(file_.get(), bytes, temporary_);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void DurableFile::pad_to(std::size_t alignment) {
  static constexpr std::array<std::byte, 512> kZeros{};
  for (std::size_t missing = -size_ & (alignment - 1); missing != 0;) {
    const std::size_t part = std::min(missing, kZeros.size());
    write(std::span(kZeros).first(part));
    missing -= part;
  }
}

void DurableFile::flush() {
  write_all(file_.get(), buffer_, temporary_);
  buffer_.clear();
}

void DurableFile::commit() {
  flush();
  if (::fdatasync(file_.get()) != 0) throw_errno("writing to the disk: " + temporary_.string());
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) throw_errno("rename to " + path_.string());
  file_.reset();
  sync_folder(path_.parent_path());
}

void write_durably(const std::filesystem::path& path, std::string_view text) {
  DurableFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

void sync_folder(const std::filesystem::path& folder) {
  const char* const name = folder.empty() ? "." : folder.c_str();
  const UniqueFd opened(::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0)
    throw_errno("writing the folder to the disk: " + folder.string());
}

}  // namespace leat
