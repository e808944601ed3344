#include "leat/datasets/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/datasets/spec/combinator_spec.h"
#include "leat/datasets/warning.h"

namespace leat {

using namespace detail;

namespace {

void require_new(const std::vector<Field>& fields, const Field& field, std::size_t part) {
  for (const Field& other : fields) {
    if (other.name != field.name) continue;
    throw ArgumentError(
        fmt::format("datasets side by side need fields of different names: '{}' of dataset {} is there "
                    "already; give the dataset a prefix",
                    field.name, part));
  }
}

Schema schema_of(const std::vector<Zip::Part>& parts) {
  std::vector<Field> fields;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const Schema& schema = parts[part].dataset->schema();
    if (schema.size() == 0) throw ArgumentError(fmt::format("dataset {} has no fields", part));
    for (Field field : schema) {
      if (!parts[part].prefix.empty()) field.name = parts[part].prefix + "." + field.name;
      require_new(fields, field, part);
      fields.push_back(std::move(field));
    }
  }
  return Schema(std::move(fields));
}

}  // namespace

Zip::Zip(std::vector<Part> parts) : parts_(std::move(parts)), schema_(schema_of(parts_)) {
  if (parts_.empty()) throw ArgumentError("there must be at least one dataset to put beside another");
  size();
}

std::size_t Zip::size() const {
  const std::size_t samples = parts_.front().dataset->size();
  for (std::size_t part = 1; part < parts_.size(); ++part) {
    const std::size_t others = parts_[part].dataset->size();
    if (others == samples) continue;
    throw ArgumentError(
        fmt::format("datasets side by side need equally many samples: dataset 0 has {}, dataset {} has {} (a "
                    "Subset leaves some out)",
                    samples, part, others));
  }
  return samples;
}

void Zip::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  const std::uint64_t seed = rng.bits64(), stream = rng.bits64();
  std::size_t first = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const Dataset& dataset = *parts_[part].dataset;
    Rng own(seed, part, stream);
    SampleWriter fields = out.part(first, dataset.schema());
    dataset.get(index, own, fields);
    out.join(first, fields);
    first += dataset.schema().size();
  }
}

void Zip::prefetch(std::size_t index) const noexcept {
  for (const Part& part : parts_) part.dataset->prefetch(index);
}

void Zip::read_ahead(std::size_t index) const noexcept {
  for (const Part& part : parts_) part.dataset->read_ahead(index);
}

bool Zip::reads_ahead() const noexcept {
  return std::ranges::any_of(parts_, [](const Part& part) { return part.dataset->reads_ahead(); });
}

std::string Zip::warnings() const {
  std::string all;
  for (const Part& part : parts_) append_warning(all, part.dataset->warnings());
  return all;
}

std::optional<std::string> Zip::spec() const {
  return zip_spec(parts_);
}

std::string Zip::describe(std::size_t index) const {
  std::string all;
  for (const Part& part : parts_) {
    const std::string one = part.dataset->describe(index);
    if (!one.empty()) all += (all.empty() ? "" : ", ") + one;
  }
  return all;
}

}  // namespace leat
