#include "leat/datasets/formats/tar/ustar.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/formats/tar/tar_scanner.h"

namespace leat::detail {

namespace {

constexpr std::size_t kNameBytes = 100, kPrefixBytes = 155, kMaxContent = (std::size_t{1} << 33) - 1;

class Header {
 public:
  void put(std::size_t at, std::string_view text) {
    std::ranges::copy(text, bytes_.begin() + std::ptrdiff_t(at));
  }

  // Writes the checksum: the sum of all bytes, with spaces in the place of the checksum.
  void seal() {
    put(148, "        ");
    const unsigned sum = std::accumulate(bytes_.begin(), bytes_.end(), 0U, [](unsigned all, char c) {
      return all + static_cast<unsigned char>(c);
    });
    put(148, fmt::format("{:06o}", sum));
    bytes_[154] = '\0';
  }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

 private:
  std::array<char, kTarBlock> bytes_{};
};

// Finds the '/' at which a long name is split into prefix and name. The '/' is not stored.
std::optional<std::size_t> find_cut(const std::string& name) {
  for (std::size_t cut = name.find('/', 1); cut != std::string::npos; cut = name.find('/', cut + 1)) {
    const std::size_t rest = name.size() - cut - 1;
    if (cut <= kPrefixBytes && rest <= kNameBytes && rest > 0) return cut;
  }
  return std::nullopt;
}

// Cuts off a name that is too long; a pax header holds the whole name.
void put_name(Header& header, const std::string& name) {
  const auto cut = name.size() <= kNameBytes ? std::nullopt : find_cut(name);
  if (!cut) return header.put(0, std::string_view(name).substr(0, kNameBytes));
  header.put(345, std::string_view(name).substr(0, *cut));
  header.put(0, std::string_view(name).substr(*cut + 1));
}

bool fits(const std::string& name) {
  return name.size() <= kNameBytes || find_cut(name).has_value();
}

// Returns "<length> path=<name>\n". The length counts itself.
std::string pax_path(const std::string& name) {
  const std::string rest = fmt::format(" path={}\n", name);
  std::size_t length = rest.size() + 1;
  while (fmt::formatted_size("{}", length) + rest.size() != length) ++length;
  return fmt::format("{}{}", length, rest);
}

void append_member(std::vector<std::byte>& archive, const std::string& name, char type,
                   std::span<const std::byte> content) {
  Header header;
  put_name(header, name);
  header.put(100, "0000444");
  header.put(108, "0000000");  // user and group by number
  header.put(116, "0000000");
  header.put(124, fmt::format("{:011o}", content.size()));
  header.put(136, "00000000000");
  header.put(156, std::string_view(&type, 1));
  header.put(257, std::string_view("ustar\0"
                                   "00",
                                   8));
  header.put(265, "bigdata");
  header.put(297, "bigdata");
  header.put(329, "0000000");  // device numbers
  header.put(337, "0000000");
  header.seal();
  const auto bytes = header.bytes();
  archive.insert(archive.end(), bytes.begin(), bytes.end());
  archive.insert(archive.end(), content.begin(), content.end());
  archive.resize(align_up(archive.size(), kTarBlock));
}

}  // namespace

void append_tar_member(std::vector<std::byte>& archive, const std::string& name,
                       std::span<const std::byte> content) {
  constexpr char kRegular = '0', kPax = 'x';
  if (content.size() > kMaxContent)
    throw ArgumentError(fmt::format("'{}' is too long for a tar archive", name));
  if (name.size() > TarScanner::kMaxName) {
    throw ArgumentError(
        fmt::format("a name of {} bytes, the limit is {}", name.size(), TarScanner::kMaxName));
  }
  if (!fits(name)) {
    const std::string path = pax_path(name);
    append_member(archive, "././@PaxHeader", kPax, std::as_bytes(std::span(path)));
  }
  append_member(archive, name, kRegular, content);
}

}  // namespace leat::detail
