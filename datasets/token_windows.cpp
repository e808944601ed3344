#include "leat/datasets/token_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/byte_reader.h"
#include "leat/datasets/io/byte_writer.h"
#include "leat/datasets/io/file_reader.h"
#include "leat/datasets/io/index_cache.h"
#include "leat/datasets/spec/token_spec.h"

namespace leat {

using namespace detail;

namespace {

static_assert(std::endian::native == std::endian::little, "stored numbers are used as they are");

constexpr std::size_t kTokens = 0;  // the field's position
constexpr std::uint64_t kPart = std::uint64_t{1} << 20;

TokenOptions checked(TokenOptions options) {
  const auto is_any = [](DType dtype, std::initializer_list<DType> known) {
    return std::ranges::find(known, dtype) != known.end();
  };
  if (!is_any(options.stored, {DType::u16, DType::u32}) ||
      !is_any(options.delivered, {DType::u16, DType::i32, DType::u32, DType::i64}) ||
      size_of(options.delivered) < size_of(options.stored)) {
    throw ArgumentError(
        fmt::format("tokens are stored as u16 or u32 and delivered as u16, i32, u32 or i64, without "
                    "loss; not stored as {} and delivered as {}",
                    name_of(options.stored), name_of(options.delivered)));
  }
  if (options.length == 0 || options.stride == std::size_t{0}) {
    throw ArgumentError("windows of tokens have a length and a stride of 1 and more");
  }
  if (options.end_of_document && !options.document_starts.empty()) {
    throw ArgumentError("documents are found by their last token or by a file of their starts, not by both");
  }
  return options;
}

Schema schema_of(const TokenOptions& options, bool ragged) {
  if (ragged) return Schema({Field::ragged("tokens", options.delivered, {.max_length = options.length})});
  return Schema({{"tokens", options.delivered, {options.length}}});
}

// Widens numbers that are at the end of `row`. The new place of a number never extends beyond the stored form of the
// next number, so converting from front to back is safe.
template <class Stored, class Wide>
void widen(std::span<std::byte> row, std::size_t count) {
  const std::byte* from = row.data() + row.size() - count * sizeof(Stored);
  for (std::size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, from + i * sizeof stored, sizeof stored);
    const auto wide = static_cast<Wide>(stored);
    std::memcpy(row.data() + i * sizeof wide, &wide, sizeof wide);
  }
}

template <class Stored>
std::uint32_t token_at(std::span<const std::byte> bytes, std::size_t i) {
  Stored value;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

}  // namespace

struct TokenWindows::Impl {
  struct Window {
    std::uint64_t first;
    std::size_t length;
  };
  struct Document {
    std::uint64_t first;         // index of its first token
    std::size_t windows_before;  // number of windows of all documents before it
  };

  bool has_documents() const noexcept { return options.end_of_document || !options.document_starts.empty(); }
  std::vector<std::uint64_t> document_starts() const;
  std::vector<std::byte> scan_for_ends() const;
  std::vector<std::uint64_t> starts_from_ends() const;
  void lay_out_documents(const std::vector<std::uint64_t>& starts);
  std::size_t windows_of(std::uint64_t count) const;
  Window window(std::size_t index) const;
  void read(const Window& window, std::span<std::byte> row) const;

  FileReader file;
  TokenOptions options;
  std::size_t stride;
  std::uint64_t tokens = 0;
  std::size_t windows = 0;
  std::vector<Document> documents;
  Schema schema;
  std::optional<std::string> spec;  // paths in it are absolute

  Impl(const std::filesystem::path& path, TokenOptions how);
  void get(std::size_t index, SampleWriter& out) const;
};

TokenWindows::Impl::Impl(const std::filesystem::path& path, TokenOptions how)
    : file(path),
      options(checked(std::move(how))),
      stride(options.stride.value_or(options.length)),
      tokens(file.size() / size_of(options.stored)),
      schema(schema_of(options, has_documents())),
      spec(token_spec(path.string(), options)) {
  if (file.size() % size_of(options.stored) != 0) {
    throw DataError(file.path(), fmt::format("its {} bytes are no whole number of {} tokens", file.size(),
                                             name_of(options.stored)));
  }
  if (has_documents()) {
    lay_out_documents(document_starts());
  } else if (tokens >= options.length) {
    windows = static_cast<std::size_t>((tokens - options.length) / stride + 1);
  }
}

std::vector<std::uint64_t> TokenWindows::Impl::document_starts() const {
  if (options.end_of_document) return starts_from_ends();
  const FileReader listed(options.document_starts);
  std::vector<std::byte> bytes;
  listed.read(0, listed.size(), bytes);
  std::vector<std::uint64_t> starts;
  for (ByteReader reader(bytes, listed.path()); !reader.at_end();) {
    const auto start = reader.little<std::uint64_t>();
    const bool sound = starts.empty() ? start == 0 : start >= starts.back();
    if (!sound || start > tokens) {
      reader.fail(
          fmt::format("document {} starts at token {}, which is not between the one before and the end, {}",
                      starts.size(), start, tokens));
    }
    starts.push_back(start);
  }
  if (starts.empty() && tokens > 0) throw DataError(listed.path(), "it holds no document");
  return starts;
}

// Returns the start of each document, as u64.
std::vector<std::byte> TokenWindows::Impl::scan_for_ends() const {
  const std::size_t width = size_of(options.stored);
  std::vector<std::byte> starts, part;
  bool at_start = true;
  for (std::uint64_t first = 0; first < tokens; first += kPart) {
    const std::uint64_t count = std::min(kPart, tokens - first);
    file.read(first * width, count * width, part);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (at_start) append_little(starts, first + i);
      const std::uint32_t token =
          width == 2 ? token_at<std::uint16_t>(part, i) : token_at<std::uint32_t>(part, i);
      at_start = token == *options.end_of_document;
    }
  }
  return starts;
}

std::vector<std::uint64_t> TokenWindows::Impl::starts_from_ends() const {
  const IndexCache cache(fmt::format("documents1-{}-{}", name_of(options.stored), *options.end_of_document),
                         options.index);
  std::vector<std::uint64_t> starts;
  cache.use(
      file, [this] { return scan_for_ends(); },
      [&](std::span<const std::byte> payload) {
        std::vector<std::uint64_t> read;
        for (ByteReader reader(payload, file.path()); !reader.at_end();) {
          read.push_back(reader.little<std::uint64_t>());
          if (read.back() >= tokens || (read.size() > 1 && read.back() <= read[read.size() - 2])) {
            reader.fail("documents out of order");
          }
        }
        starts = std::move(read);
      });
  return starts;
}

std::size_t TokenWindows::Impl::windows_of(std::uint64_t count) const {
  if (count == 0) return 0;
  if (count <= options.length) return 1;
  const std::uint64_t rest = count - options.length;
  const std::uint64_t until_last_token = rest / stride + (rest % stride != 0 ? 1 : 0) + 1;
  return static_cast<std::size_t>(
      std::min(until_last_token, (count - 1) / stride + 1));  // each window starts in the document
}

void TokenWindows::Impl::lay_out_documents(const std::vector<std::uint64_t>& starts) {
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::uint64_t end = i + 1 < starts.size() ? starts[i + 1] : tokens;
    if (starts[i] == end) continue;
    documents.push_back({starts[i], windows});
    windows += windows_of(end - starts[i]);
  }
}

TokenWindows::Impl::Window TokenWindows::Impl::window(std::size_t index) const {
  if (index >= windows) {
    throw ArgumentError(fmt::format("there is no sample {}: there are {}", index, windows));
  }
  if (!has_documents()) return {std::uint64_t{index} * stride, options.length};
  const auto next = std::ranges::upper_bound(documents, index, {}, &Document::windows_before);
  const Document& document = *(next - 1);
  const std::uint64_t end = next == documents.end() ? tokens : next->first;
  const std::uint64_t first = document.first + (index - document.windows_before) * stride;
  return {first, static_cast<std::size_t>(std::min<std::uint64_t>(options.length, end - first))};
}

void TokenWindows::Impl::read(const Window& window, std::span<std::byte> row) const {
  const std::size_t width = size_of(options.stored), wide = size_of(options.delivered);
  file.read(window.first * width, row.last(window.length * width));
  if (width == wide) return;
  if (width == 2 && wide == 4) return widen<std::uint16_t, std::uint32_t>(row, window.length);
  if (width == 2) return widen<std::uint16_t, std::uint64_t>(row, window.length);
  widen<std::uint32_t, std::uint64_t>(row, window.length);
}

void TokenWindows::Impl::get(std::size_t index, SampleWriter& out) const {
  const Window chosen = window(index);
  if (!has_documents()) return read(chosen, out.bytes(kTokens));
  switch (options.delivered) {
    case DType::u16:
      return read(chosen, std::as_writable_bytes(out.ragged<std::uint16_t>(kTokens, chosen.length)));
    case DType::u32:
      return read(chosen, std::as_writable_bytes(out.ragged<std::uint32_t>(kTokens, chosen.length)));
    case DType::i32:
      return read(chosen, std::as_writable_bytes(out.ragged<std::int32_t>(kTokens, chosen.length)));
    default:
      return read(chosen, std::as_writable_bytes(out.ragged<std::int64_t>(kTokens, chosen.length)));
  }
}

TokenWindows::TokenWindows(const std::filesystem::path& file, TokenOptions options)
    : impl_(std::make_shared<const Impl>(file, std::move(options))) {}

std::size_t TokenWindows::size() const {
  return impl_->windows;
}

const Schema& TokenWindows::schema() const {
  return impl_->schema;
}

void TokenWindows::get(std::size_t index, Rng&, SampleWriter& out) const {
  impl_->get(index, out);
}

void TokenWindows::read_ahead(std::size_t index) const noexcept {
  const Impl::Window chosen = impl_->window(index);
  const std::size_t width = size_of(impl_->options.stored);
  impl_->file.read_ahead(chosen.first * width, chosen.length * width);
}

std::string TokenWindows::describe(std::size_t index) const {
  const Impl::Window chosen = impl_->window(index);
  return fmt::format("{}, tokens {} to {}", impl_->file.path(), chosen.first, chosen.first + chosen.length);
}

std::optional<std::string> TokenWindows::spec() const {
  return impl_->spec;
}

std::uint64_t TokenWindows::tokens() const noexcept {
  return impl_->tokens;
}

}  // namespace leat
