#include "leat/loader/samplers/fingerprint.h"

#include <fmt/format.h>

#include "leat/datasets/io/xxh3.h"

namespace leat::detail {

std::string digest_of(std::span<const std::uint64_t> values) {
  return fmt::format("{:016x}", xxh3(std::as_bytes(values)));
}

std::string digest_of(std::span<const double> values) {
  return fmt::format("{:016x}", xxh3(std::as_bytes(values)));
}

}  // namespace leat::detail
