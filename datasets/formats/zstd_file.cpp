#include "datasets/formats/zstd_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>
#include <vector>

#include "datasets/formats/cache_folder.h"
#include "datasets/formats/file_reader.h"
#include "loader/base/errors.h"
#include "loader/base/unique_fd.h"

namespace leat {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxWindowLog = 27;
constexpr std::size_t kPart = std::size_t{1} << 18;

struct FreeDContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

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

class Inflater {
 public:
  Inflater(const FileReader& in, NewFile& out, std::uint64_t bytes)
      : in_(&in), out_(&out), bytes_left_(bytes), context_(ZSTD_createDCtx()), output_(kPart) {
    if (!context_) throw Error("zstd's decompression cannot be set up");
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  }

  void run() {
    std::vector<std::byte> input;
    std::size_t hint = 1;  // 0: a frame is complete
    for (std::uint64_t at = 0; at < in_->size(); at += input.size()) {
      in_->read(at, std::min<std::uint64_t>(kPart, in_->size() - at), input);
      hint = feed(input);
    }
    if (hint != 0) fail("the zstd data is cut off");
    if (bytes_left_ != 0) fail(fmt::format("{} bytes fewer come out of it than its index says", bytes_left_));
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const { throw DataError(in_->path(), problem); }

  std::size_t feed(std::span<const std::byte> input) {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    std::size_t hint = 1;
    while (true) {
      ZSTD_outBuffer out{output_.data(), output_.size(), 0};
      hint = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(hint)) fail(fmt::format("zstd: {}", ZSTD_getErrorName(hint)));
      if (out.pos > bytes_left_) fail("more comes out of it than its index says");
      bytes_left_ -= out.pos;
      out_->write(std::span(output_).first(out.pos));
      if (in.pos == in.size && out.pos < out.size) return hint;
    }
  }

  const FileReader* in_;
  NewFile* out_;
  std::uint64_t bytes_left_;
  std::unique_ptr<ZSTD_DCtx, FreeDContext> context_;
  std::vector<std::byte> output_;
};

}  // namespace

void inflate_zstd(const fs::path& compressed, std::uint64_t bytes, const fs::path& inflated) {
  const FileReader in(compressed);
  std::error_code error;
  fs::create_directories(inflated.parent_path(), error);
  if (error) throw SystemError("make the folder " + inflated.parent_path().string(), error.value());
  NewFile out(temporary_name(inflated));
  Inflater(in, out, bytes).run();
  out.keep_as(inflated);
}

}  // namespace leat
