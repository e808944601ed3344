#include "leat/datasets/formats/tar/tar_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "leat/datasets/errors.h"

namespace leat::detail {

namespace {

constexpr char kLongName = 'L', kLongLink = 'K', kPax = 'x', kGlobalPax = 'g', kSparse = 'S';
constexpr char kFirstWithoutData = '1', kLastWithoutData = '6';  // links, devices, folders, FIFOs

std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

bool is_extension(char type) {
  return type == kLongName || type == kLongLink || type == kPax || type == kGlobalPax;
}

}  // namespace

void TarScanner::fail(const std::string& problem) const {
  const std::string where =
      last_name_.empty() ? "the first member" : fmt::format("member '{}' or the one behind it", last_name_);
  throw DataError(input_->path(), fmt::format("at offset {}, {}: {}", header_, where, problem));
}

bool TarScanner::read_header(Block& block) {
  header_ = position_;
  input_->reach(position_ + kBlock);
  if (input_->size() < position_) fail("the archive is cut off in the data of that member");
  if (input_->size() - position_ < kBlock) {
    fail(fmt::format("the archive is cut off: {} bytes are left, and no end mark was found",
                     input_->size() - position_));
  }
  input_->read(position_, block);
  position_ += kBlock;
  if (!is_zero(block)) return true;
  check_end();
  return false;
}

// After one block of zeros, another one or the end of the file must follow.
void TarScanner::check_end() {
  input_->reach(position_ + kBlock);
  if (input_->size() - position_ < kBlock) return;
  Block second{};
  input_->read(position_, second);
  if (!is_zero(second)) fail("the end mark is one block of zeros, and data follows it");
}

void TarScanner::check_fits(std::uint64_t size) const {
  if (size > input_->size() - position_) {
    fail(fmt::format("the archive is cut off: a member of {} bytes, of which {} are there", size,
                     input_->size() - position_));
  }
}

std::string TarScanner::read_extension(std::uint64_t size) {
  if (size > kMaxExtension)
    fail(fmt::format("a header of {} bytes; at most {} are read", size, kMaxExtension));
  check_fits(size);
  std::string text(static_cast<std::size_t>(size), '\0');
  input_->read(position_, std::as_writable_bytes(std::span(text)));
  return text;
}

// Reads records "<length> <key>=<value>\n". The length counts itself and the newline.
void TarScanner::read_pax(std::uint64_t size, bool global) {
  const std::string text = read_extension(size);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t blank = rest.find(' ');
    const auto length = decimal(rest.substr(0, blank));
    if (blank == std::string_view::npos || !length || *length > rest.size() || *length < blank + 3 ||
        rest[*length - 1] != '\n') {
      fail("a PAX header that is damaged");
    }
    const std::string_view record = rest.substr(blank + 1, *length - blank - 2);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) fail("a PAX header that is damaged");
    apply_pax(record.substr(0, equals), record.substr(equals + 1), global);
    rest.remove_prefix(*length);
  }
}

void TarScanner::apply_pax(std::string_view key, std::string_view value, bool global) {
  if (key.starts_with("GNU.sparse.")) fail("a sparse member; those are not read");
  if (key != "path" && key != "size") return;
  if (global) fail(fmt::format("a PAX header gives all members one {}", key));
  if (key == "path") {
    extension_.name = value;
    return;
  }
  extension_.size = decimal(value);
  if (!extension_.size) fail("a PAX header whose size is no number");
}

// The PAX header takes precedence. If it contradicted the member's own, two readers could see two archives: an error.
std::uint64_t TarScanner::member_size(std::uint64_t in_header) {
  if (!extension_.size) return in_header;
  if (in_header != 0 && in_header != *extension_.size) {
    fail(fmt::format("the PAX header says {} bytes, the member's own {}", *extension_.size, in_header));
  }
  return *extension_.size;
}

void TarScanner::skip_data(std::uint64_t size) {
  check_fits(size);
  position_ += size;
  const std::uint64_t padding = (kBlock - size % kBlock) % kBlock;
  position_ +=
      std::min(padding, input_->size() - position_);  // a missing end mark is found at the next header
}

void TarScanner::read_extension_header(const TarHeader& header) {
  if (header.type == kLongName) {
    std::string name = read_extension(header.size);
    name.resize(std::min(name.size(), name.find('\0')));
    extension_.name = std::move(name);
  } else if (header.type != kLongLink) {
    read_pax(header.size, header.type == kGlobalPax);
  }
  skip_data(header.size);
}

TarMember TarScanner::take_member(TarHeader& header) {
  if (header.type == kSparse) fail("a sparse member; those are not read");
  const bool has_no_data = header.type >= kFirstWithoutData && header.type <= kLastWithoutData;
  const std::uint64_t size = has_no_data ? 0 : member_size(header.size);
  TarMember member{extension_.name ? std::move(*extension_.name) : std::move(header.name), position_, size};
  extension_ = {};
  if (member.name.size() > kMaxName || member.name.find('\0') != std::string::npos) {
    fail(fmt::format("a name of {} bytes; at most {} are read, and none of them is zero", member.name.size(),
                     kMaxName));
  }
  last_name_ = member.name;
  skip_data(size);
  return member;
}

std::optional<TarMember> TarScanner::next() {
  Block block{};
  TarHeader header;
  while (read_header(block)) {
    if (const char* problem = parse_tar_header(block, header)) fail(problem);
    if (is_extension(header.type)) {
      read_extension_header(header);
      continue;
    }
    TarMember member = take_member(header);
    if (header.is_regular() && !member.name.empty() && member.name.back() != '/') return member;
  }
  return std::nullopt;
}

}  // namespace leat::detail
