// A file with a path and no disk: for thousands of short-lived ones.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "leat/datasets/base/unique_fd.h"

namespace leat::test {

using namespace leat::detail;

// A memfd; its path is valid in this process for as long as this lives.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> content);
  explicit MemoryFile(std::string_view content) : MemoryFile(std::as_bytes(std::span(content))) {}

  std::filesystem::path path() const;

 private:
  leat::detail::UniqueFd fd_;
};

}  // namespace leat::test
