#include "leat/datasets/io/shard_files.h"

#include <utility>

namespace leat::detail {

ShardFiles::ShardFiles(std::vector<std::string> paths, Prepare prepare, Check check, std::size_t max_open)
    : paths_(std::move(paths)),
      prepare_(std::move(prepare)),
      check_(std::move(check)),
      max_open_(max_open),
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
  if (const FileReader* file = files_.at(shard).load(std::memory_order_acquire)) return use(*file);
  std::unique_ptr<FileReader> opened = open(shard);
  use(*opened);
  if (open_.fetch_add(1) < max_open_) {
    const FileReader* none = nullptr;
    FileReader* const mine = opened.release();
    if (files_[shard].compare_exchange_strong(none, mine, std::memory_order_acq_rel)) return;
    opened.reset(mine);
  }
  open_.fetch_sub(1);  // another thread was first, or no place is left
}

void ShardFiles::read(std::size_t shard, std::uint64_t offset, std::span<std::byte> bytes) const {
  with_file(shard, [&](const FileReader& file) { file.read(offset, bytes); });
}

void ShardFiles::read(std::size_t shard, std::uint64_t offset, std::uint64_t count,
                      std::vector<std::byte>& bytes) const {
  with_file(shard, [&](const FileReader& file) { file.read(offset, count, bytes); });
}

void ShardFiles::read_ahead(std::size_t shard, std::uint64_t offset, std::uint64_t count) const noexcept {
  const bool open = files_[shard].load(std::memory_order_acquire) != nullptr;
  if (!open && (prepare_ || open_.load() >= max_open_)) return;
  try {
    with_file(shard, [&](const FileReader& file) { file.read_ahead(offset, count); });
  } catch (...) {  // NOLINT(bugprone-empty-catch): on purpose
  }
}

}  // namespace leat::detail
