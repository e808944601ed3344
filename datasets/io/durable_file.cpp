#include "leat/datasets/io/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

DurableFile::DurableFile(std::filesystem::path path)
    : path_(std::move(path)), file_(path_.string() + ".tmp", NewFile::IfThere::overwrite) {
  buffer_.reserve(kBufferBytes);
}

void DurableFile::write(std::span<const std::byte> bytes) {
  checksum_.update(bytes);
  size_ += bytes.size();
  const bool direct = bytes.size() > kBufferBytes / 2;
  if (direct || buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (direct) {
    file_.write(bytes);
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
  file_.write(buffer_);
  buffer_.clear();
}

void DurableFile::commit() {
  flush();
  file_.sync();
  file_.keep_as(path_);
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

}  // namespace leat::detail
