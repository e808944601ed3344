#include "bench/transfer/page_locked.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "bench/figure.h"
#include "bench/transfer/cases.h"
#include "leat/datasets/errors.h"

namespace leat::bench {
namespace {

std::byte* map_shared(std::size_t bytes) {
  void* const data =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (data == MAP_FAILED) throw SystemError(fmt::format("mapping {} bytes", bytes), errno);
  return static_cast<std::byte*>(data);
}

// Returns the line "VmFlags: ..." of the mapping that starts at `address`.
std::string vm_flags(const void* address) {
  std::ifstream smaps("/proc/self/smaps");
  const std::string start = fmt::format("{:08x}-", reinterpret_cast<std::uintptr_t>(address));
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    if (line.starts_with(start)) inside = true;
    if (inside && line.starts_with("VmFlags:")) return line;
  }
  return "VmFlags: unknown";
}

constexpr std::size_t kGiB = std::size_t{1} << 30;

}  // namespace

PageLocked::PageLocked(Device& device, std::size_t bytes) : bytes_(bytes), data_(map_shared(bytes)) {
  pin_ms_ = milliseconds_of([&] { pinned_ = device.pin({data_, bytes_}); });
}

PageLocked::~PageLocked() {
  pinned_ = PinnedRegion();
  ::munmap(data_, bytes_);
}

std::vector<std::string> describe_registration(Device& device) {
  std::vector<double> milliseconds;
  std::string flags;
  for (int i = 0; i < 3; ++i) {
    const PageLocked memory(device, 2 * kGiB);
    milliseconds.push_back(memory.pin_milliseconds() / 2);
    flags = vm_flags(memory.data());
  }
  return {fmt::format("page-locking memory that is there: {:.1f} ms per GiB (median of 3, of 2 GiB each)",
                      median(milliseconds)),
          fmt::format("page-locked memory has {}", flags)};
}

}  // namespace leat::bench
