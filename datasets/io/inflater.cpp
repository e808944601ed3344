#include "leat/datasets/io/inflater.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <string>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr std::size_t kPart = std::size_t{1} << 18;
constexpr int kMaxWindowLog = 27, kGzipOnly = 16 + MAX_WBITS;

class Plain final : public Inflater {
 public:
  using Inflater::Inflater;

 private:
  bool step(std::span<const std::byte>& input, std::vector<std::byte>& out) override {
    out.insert(out.end(), input.begin(), input.end());
    input = {};
    return false;
  }
  bool is_within() const override { return false; }
};

class Gzip final : public Inflater {
 public:
  explicit Gzip(const FileReader& file) : Inflater(file) {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw Error("zlib's inflate cannot be set up");
  }
  ~Gzip() override { inflateEnd(&stream_); }

 private:
  bool step(std::span<const std::byte>& input, std::vector<std::byte>& out) override {
    std::array<std::byte, 1 << 16> room;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(room.size());
    is_within_ = true;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      fail(stream_.msg != nullptr ? stream_.msg : "gzip data that is damaged");
    input = input.last(stream_.avail_in);
    out.insert(out.end(), room.begin(), room.end() - std::ptrdiff_t(stream_.avail_out));
    if (status != Z_STREAM_END) return stream_.avail_out == 0;
    is_within_ = false;  // another member may follow
    inflateReset(&stream_);
    return false;
  }
  bool is_within() const override { return is_within_; }

  z_stream stream_{};
  bool is_within_ = false;
};

class Zstd final : public Inflater {
 public:
  explicit Zstd(const FileReader& file) : Inflater(file), context_(ZSTD_createDCtx()), room_(kPart) {
    if (!context_) throw Error("zstd's decompression cannot be set up");
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  bool step(std::span<const std::byte>& input, std::vector<std::byte>& out) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer room{room_.data(), room_.size(), 0};
    const std::size_t hint = ZSTD_decompressStream(context_.get(), &room, &in);
    if (ZSTD_isError(hint)) fail(fmt::format("zstd: {}", ZSTD_getErrorName(hint)));
    out.insert(out.end(), room_.begin(), room_.begin() + std::ptrdiff_t(room.pos));
    input = input.subspan(in.pos);
    if (in.pos != 0 || room.pos != 0) is_within_ = hint != 0;
    return is_within_ && room.pos == room.size;
  }
  bool is_within() const override { return is_within_; }

  std::unique_ptr<ZSTD_DCtx, Free> context_;
  std::vector<std::byte> room_;
  bool is_within_ = false;
};

}  // namespace

bool Inflater::inflate(std::vector<std::byte>& out) {
  while (true) {
    if (input_.empty() && !has_more_ && !refill()) {
      if (is_within()) fail("it is cut off");
      return false;
    }
    const std::size_t before = out.size();
    has_more_ = step(input_, out);
    if (out.size() != before) return true;
  }
}

void Inflater::fail(std::string_view problem) const {
  throw DataError(file_->path(),
                  fmt::format("before offset {} of the compressed file: {}", position_, problem));
}

bool Inflater::refill() {
  const std::uint64_t count = std::min<std::uint64_t>(kPart, file_->size() - position_);
  if (count == 0) return false;
  file_->read(position_, count, part_);
  position_ += count;
  input_ = part_;
  return true;
}

std::string_view compression_of(const FileReader& file) {
  constexpr std::string_view kGzip = "\x1f\x8b", kZstd = "\x28\xb5\x2f\xfd";
  std::string start(std::min<std::uint64_t>(4, file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span(start)));
  return start.starts_with(kGzip) ? "gzip" : start == kZstd ? "zstd" : std::string_view();
}

std::unique_ptr<Inflater> make_inflater(const FileReader& file) {
  const std::string_view compression = compression_of(file);
  if (compression == "gzip") return std::make_unique<Gzip>(file);
  if (compression == "zstd") return make_zstd_inflater(file);
  return std::make_unique<Plain>(file);
}

std::unique_ptr<Inflater> make_zstd_inflater(const FileReader& file) {
  return std::make_unique<Zstd>(file);
}

}  // namespace leat::detail
