#include "leat/datasets/io/gzip_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr std::size_t kBuffer = 1 << 16;
constexpr int kGzipOnly = 16 + MAX_WBITS;  // an argument of inflateInit2()

}  // namespace

struct GzipReader::State {
  z_stream stream{};
  std::array<std::byte, kBuffer> buffer;
  bool ended = false;
};

GzipReader::GzipReader(const FileReader& file) : file_(&file), state_(std::make_unique<State>()) {
  if (inflateInit2(&state_->stream, kGzipOnly) != Z_OK) throw Error("zlib's inflate cannot be set up");
}

GzipReader::~GzipReader() {
  inflateEnd(&state_->stream);
}

void GzipReader::fail(const char* problem) const {
  throw DataError(file_->path(), fmt::format("gzip data, before offset {}: {}", position_, problem));
}

void GzipReader::refill() {
  const std::uint64_t count = std::min<std::uint64_t>(kBuffer, file_->size() - position_);
  if (count == 0) fail("the file ends before the gzip stream does");
  const auto filled = std::span(state_->buffer).first(static_cast<std::size_t>(count));
  file_->read(position_, filled);
  position_ += count;
  state_->stream.next_in = reinterpret_cast<Bytef*>(filled.data());
  state_->stream.avail_in = static_cast<uInt>(count);
}

bool GzipReader::step() {
  z_stream& stream = state_->stream;
  if (state_->ended) return false;
  if (stream.avail_in == 0) refill();
  const int status = inflate(&stream, Z_NO_FLUSH);
  if (status == Z_STREAM_END) state_->ended = true;
  if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
    fail(stream.msg != nullptr ? stream.msg : "it is damaged");
  }
  return true;
}

void GzipReader::read(std::span<std::byte> bytes) {
  z_stream& stream = state_->stream;
  while (!bytes.empty()) {
    const std::size_t part = std::min<std::size_t>(bytes.size(), 1U << 30);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(part);
    while (stream.avail_out != 0) {
      if (!step()) fail("the gzip stream ends before what it should hold");
    }
    bytes = bytes.subspan(part);
  }
}

void GzipReader::finish() {
  std::byte beyond{};
  while (!state_->ended) {
    state_->stream.next_out = reinterpret_cast<Bytef*>(&beyond);
    state_->stream.avail_out = 1;
    step();
    if (state_->stream.avail_out == 0) fail("the gzip stream goes on behind what it should hold");
  }
  if (state_->stream.avail_in != 0 || position_ != file_->size())
    fail("there is data behind the gzip stream");
}

}  // namespace leat::detail
