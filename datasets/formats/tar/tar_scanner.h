// Lists the members of a tar archive by their headers. Nothing is ever extracted; names are labels and never paths.
//
// Layout: blocks of 512 bytes; a header, then the data padded to whole blocks; two blocks of zeros end the archive.
// Supports v7, ustar (POSIX.1-1988), PAX (POSIX.1-2001: path and size) and GNU's long names and base-256 sizes.
// Source: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Interchange Format"; GNU tar's manual, "Basic Tar
// Format".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "leat/datasets/formats/tar/tar_header.h"
#include "leat/datasets/formats/tar/tar_input.h"

namespace leat::detail {

struct TarMember {
  std::string name;
  std::uint64_t offset = 0;  // of the data, in the archive
  std::uint64_t size = 0;
};

// Steps from header to header. Skips links, devices, folders and the like. Throws DataError naming the archive, the
// member and the offset if a checksum is wrong, the archive is cut off or lacks its end mark, a PAX header and the
// member's own header state different sizes, a member is sparse, or a name is longer than kMaxName.
class TarScanner {
 public:
  static constexpr std::uint64_t kBlock = 512;
  static constexpr std::uint64_t kMaxName = 4096;
  static constexpr std::uint64_t kMaxExtension = 1 << 16;  // length of a PAX header or a long name, in bytes

  explicit TarScanner(TarInput& input) : input_(&input) {}  // `input` must outlive it

  // Returns the next regular member; none at the archive's end.
  std::optional<TarMember> next();

 private:
  using Block = std::array<std::byte, kBlock>;

  // What extension headers say about the member that follows them.
  struct Extension {
    std::optional<std::string> name;
    std::optional<std::uint64_t> size;
  };

  bool read_header(Block& block);  // false at the end of the archive
  void check_end();
  std::string read_extension(std::uint64_t size);
  void read_pax(std::uint64_t size, bool global);
  void apply_pax(std::string_view key, std::string_view value, bool global);
  std::uint64_t member_size(std::uint64_t in_header);
  void read_extension_header(const TarHeader& header);
  TarMember take_member(TarHeader& header);
  void skip_data(std::uint64_t size);
  void check_fits(std::uint64_t size) const;
  [[noreturn]] void fail(const std::string& problem) const;

  TarInput* input_;
  std::uint64_t position_ = 0;  // of the next header
  std::uint64_t header_ = 0;    // of the current header
  std::string last_name_;       // for messages
  Extension extension_;
};

}  // namespace leat::detail
