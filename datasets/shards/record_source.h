// leat records as they are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "leat/datasets/records/record_set.h"
#include "leat/datasets/shards/conversion_source.h"

namespace leat {

class RecordSource final : public ConversionSource {
 public:
  // As RecordSet.
  explicit RecordSource(const std::filesystem::path& path) : set_(path) {}

  std::size_t size() const override { return set_.size(); }
  const RecordSchema& schema() const override { return set_.schema(); }
  ConversionSample read(std::size_t index) const override;
  std::string describe(std::size_t index) const override { return set_.describe(index); }
  std::uint64_t fingerprint() const override;  // of the shards' names and checksums

 private:
  RecordSet set_;
};

}  // namespace leat
