#include "leat/datasets/record_dataset.h"

#include <algorithm>
#include <array>

#include "leat/datasets/formats/records/record_source.h"
#include "leat/datasets/formats/registry.h"

namespace leat {

using namespace detail;

struct RecordDataset::Impl {
  explicit Impl(const std::filesystem::path& path)
      : source(open_source({.format = SourceFormat::records, .where = path.string()})),
        set(static_cast<const RecordSource&>(*source).records()) {}

  std::shared_ptr<const SampleSource> source;
  const RecordSet& set;  // owned by `source`
};

RecordDataset::RecordDataset(const std::filesystem::path& path) : impl_(std::make_shared<const Impl>(path)) {}

std::size_t RecordDataset::size() const {
  return impl_->set.size();
}

const Schema& RecordDataset::schema() const {
  return impl_->set.schema().fields();
}

void RecordDataset::get(std::size_t index, Rng&, SampleWriter& out) const {
  thread_local RecordMemory memory;
  const Schema& fields = schema();
  std::array<std::span<std::byte>, Schema::kMaxFields> rows{};
  for (std::size_t field = 0; field < fields.size(); ++field) {
    if (!fields[field].is_ragged()) rows[field] = out.bytes(field);
  }
  const RecordView record = impl_->set.read(index, memory, {rows.data(), fields.size()});
  for (std::size_t field = 0; field < fields.size(); ++field) {
    if (!fields[field].is_ragged()) continue;
    const std::span<const std::byte> value = record.bytes(field);
    std::ranges::copy(value, out.ragged_bytes(field, record.length(field)).begin());
  }
}

void RecordDataset::read_ahead(std::size_t index) const noexcept {
  impl_->set.read_ahead(index);
}

std::string RecordDataset::describe(std::size_t index) const {
  return impl_->set.describe(index);
}

std::optional<std::string> RecordDataset::spec() const {
  return impl_->source->spec();
}

const RecordSchema& RecordDataset::record_schema() const noexcept {
  return impl_->set.schema();
}

}  // namespace leat
