// A tar shard. The checksums of headers are put right, which no mutation would manage.
#include <fmt/format.h>

#include <string>

#include "leat/datasets/formats/webdataset/webdataset.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_file.h"

namespace {

constexpr std::size_t kBlock = 512, kChecksum = 148, kChecksumBytes = 8, kMagic = 257;

void repair(std::string& tar) {
  for (std::size_t at = 0; at + kBlock <= tar.size(); at += kBlock) {
    if (tar.compare(at + kMagic, 5, "ustar") != 0) continue;
    tar.replace(at + kChecksum, kChecksumBytes, "        ");
    unsigned sum = 0;
    for (std::size_t i = 0; i < kBlock; ++i) sum += static_cast<unsigned char>(tar[at + i]);
    tar.replace(at + kChecksum, kChecksumBytes, fmt::format("{:06o}", sum) + '\0' + ' ');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string tar(leat::fuzz::text_of(data, size));
  repair(tar);
  return leat::fuzz::accept_errors([&] {
    const leat::test::MemoryFile file(tar);
    leat::fuzz::read_samples(leat::detail::WebDatasetSource(std::vector<std::string>{file.path()},
                                                            {.index = {.place = leat::IndexPlace::nowhere}}));
  });
}
