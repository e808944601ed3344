#include "loader/samplers/fingerprint.h"

#include <fmt/format.h>

#include <bit>

namespace leat {

namespace {

// One step of SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014).
std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

}  // namespace

std::string digest_of(std::span<const std::uint64_t> values) {
  std::uint64_t digest = mix(values.size());
  for (const std::uint64_t value : values) digest = mix(digest ^ value);
  return fmt::format("{:016x}", digest);
}

std::string digest_of(std::span<const double> values) {
  std::uint64_t digest = mix(values.size());
  for (const double value : values) digest = mix(digest ^ std::bit_cast<std::uint64_t>(value));
  return fmt::format("{:016x}", digest);
}

}  // namespace leat
