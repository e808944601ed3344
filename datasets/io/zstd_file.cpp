#include "leat/datasets/io/zstd_file.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/datasets/io/file_reader.h"
#include "leat/datasets/io/inflater.h"
#include "leat/datasets/io/new_file.h"

namespace leat::detail {

namespace {

namespace fs = std::filesystem;

// Throws DataError unless the file inflates to exactly `bytes` bytes.
void inflate_into(NewFile& out, const FileReader& in, std::uint64_t bytes) {
  const auto inflater = make_zstd_inflater(in);
  std::vector<std::byte> part;
  while (inflater->inflate(part)) {
    if (part.size() > bytes) throw DataError(in.path(), "more comes out of it than its index says");
    bytes -= part.size();
    out.write(part);
    part.clear();
  }
  if (bytes == 0) return;
  throw DataError(in.path(), fmt::format("{} bytes fewer come out of it than its index says", bytes));
}

}  // namespace

void inflate_zstd(const fs::path& compressed, std::uint64_t bytes, const fs::path& inflated) {
  const FileReader in(compressed);
  std::error_code error;
  fs::create_directories(inflated.parent_path(), error);
  if (error) throw SystemError("make the folder " + inflated.parent_path().string(), error.value());
  NewFile out(temporary_name(inflated), NewFile::IfThere::fail, 0600);
  inflate_into(out, in, bytes);
  out.sync();
  out.keep_as(inflated);
}

}  // namespace leat::detail
