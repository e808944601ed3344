// What the fuzz targets share. A target is one source file with LLVMFuzzerTestOneInput(); any of leat's errors is a
// good answer to bad input, anything else that leaves a target is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "leat/datasets/errors.h"
#include "leat/datasets/sample_source.h"

namespace leat::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Reads the first samples of a source, all fields; those that cannot be had are passed over.
inline void read_samples(const SampleSource& source) {
  constexpr std::size_t kMost = 64;
  StoredSample sample;
  for (std::size_t i = 0; i < source.size() && i < kMost; ++i) {
    try {
      source.read(i, {}, sample);
      for (const StoredField& field : sample.fields()) integer_of(field);
    } catch (const Error&) {
      source.describe(i);
    }
  }
}

// Runs `use`, and takes leat's errors for an answer.
template <class Use>
int accept_errors(const Use& use) {
  try {
    use();
  } catch (const Error&) {
    return 0;
  }
  return 0;
}

}  // namespace leat::fuzz
