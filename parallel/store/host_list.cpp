#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "leat/datasets/errors.h"
#include "leat/parallel/store/launchers.h"
#include "leat/parallel/store/sha256.h"

namespace leat::detail {
namespace {

constexpr std::uint32_t kFirstJobPort = 16'384;
constexpr std::uint32_t kJobSlots = 1'000;  // of kJobPorts ports each: all are below 32,768

}  // namespace

std::string first_host(std::string_view host_list) {
  const auto refused = [&] {
    return ArgumentError(
        fmt::format("\"{}\" is not a list of Slurm's hosts, such as node[03-05,7],x1", host_list));
  };
  std::string host;
  for (std::size_t i = 0; i < host_list.size() && host_list[i] != ','; ++i) {
    if (host_list[i] != '[') {
      if (host_list[i] == ']') throw refused();
      host += host_list[i];
      continue;
    }
    const std::size_t close = host_list.find(']', i);
    if (close == std::string_view::npos) throw refused();
    const std::string_view numbers = host_list.substr(i + 1, close - i - 1);
    const std::string_view first = numbers.substr(0, numbers.find_first_of(",-"));
    if (first.empty() || !std::ranges::all_of(numbers, [](char c) {
          return (c >= '0' && c <= '9') || c == ',' || c == '-';
        })) {
      throw refused();
    }
    host += first;
    i = close;
  }
  if (host.empty()) throw refused();
  return host;
}

std::uint16_t port_of_job(std::string_view job_id) {
  const std::string digest = sha256(job_id);
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i)
    value = (value << 8) | static_cast<unsigned char>(digest[static_cast<std::size_t>(i)]);
  return static_cast<std::uint16_t>(kFirstJobPort + value % kJobSlots * kJobPorts);
}

}  // namespace leat::detail
