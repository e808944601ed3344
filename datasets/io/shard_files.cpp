#include "leat/datasets/io/shard_files.h"

#include <utility>

namespace leat::detail {

ShardFiles::ShardFiles(std::vector<std::string> paths, Prepare prepare, Check check)
    : paths_(std::move(paths)),
      prepare_(std::move(prepare)),
      check_(std::move(check)),
      files_(paths_.size()) {}

ShardFiles::~ShardFiles() {
  for (const auto& file : files_) delete file.load();
}

std::unique_ptr<FileReader> ShardFiles::open(std::size_t shard) const {
  if (prepare_) prepare_(shard);
  auto file = std::make_unique<FileReader>(paths_.at(shard));
  if (check_) check_(shard, *file);
  return file;
}

template <class Use>
void ShardFiles::with_file(std::size_t shard, const Use& use) const {
  if (const KeptFile* const kept = files_.at(shard).load(std::memory_order_acquire)) return use(*kept->file);
  std::unique_ptr<const FileReader> opened = open(shard);
  use(*opened);
  keep(shard, std::move(opened), DescriptorShare::try_take());
}

void ShardFiles::keep(std::size_t shard, std::unique_ptr<const FileReader> file,
                      DescriptorShare share) const {
  if (!share) return;
  const auto* const kept = new KeptFile{std::move(share), std::move(file)};
  const KeptFile* none = nullptr;
  if (!files_[shard].compare_exchange_strong(none, kept, std::memory_order_acq_rel))
    delete kept;  // another thread was first
}

void ShardFiles::read(std::size_t shard, std::uint64_t offset, std::span<std::byte> bytes) const {
  with_file(shard, [&](const FileReader& file) { file.read(offset, bytes); });
}

void ShardFiles::read(std::size_t shard, std::uint64_t offset, std::uint64_t count,
                      std::vector<std::byte>& bytes) const {
  with_file(shard, [&](const FileReader& file) { file.read(offset, count, bytes); });
}

void ShardFiles::read_ahead(std::size_t shard, std::uint64_t offset, std::uint64_t count) const noexcept {
  if (const KeptFile* const kept = files_[shard].load(std::memory_order_acquire))
    return kept->file->read_ahead(offset, count);
  if (prepare_) return;
  DescriptorShare share = DescriptorShare::try_take();
  if (!share) return;
  try {
    auto file = open(shard);
    file->read_ahead(offset, count);
    keep(shard, std::move(file), std::move(share));
  } catch (...) {  // NOLINT(bugprone-empty-catch): on purpose
  }
}

}  // namespace leat::detail
