#include "leat/datasets/concat.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/combinators/hint.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/spec/combinator_spec.h"
#include "leat/datasets/warning.h"

namespace leat {

using namespace detail;

namespace {

std::string described(const Schema& schema, std::size_t field) {
  if (field >= schema.size()) return "is missing";
  return fmt::format("is '{}', {}", schema[field].name, to_string(schema[field]));
}

void require_same(const Schema& first, const Schema& other, std::size_t dataset) {
  const std::size_t fields = std::max(first.size(), other.size());
  for (std::size_t field = 0; field < fields; ++field) {
    if (field < first.size() && field < other.size() && first[field] == other[field]) continue;
    throw ArgumentError(fmt::format(
        "only datasets of the same fields can follow each other: field {} of dataset {} {}, that of dataset "
        "0 {}",
        field, dataset, described(other, field), described(first, field)));
  }
}

}  // namespace

Concat::Concat(std::vector<DatasetRef> datasets) : datasets_(std::move(datasets)), ends_(datasets_.size()) {
  if (datasets_.empty()) throw ArgumentError("there must be at least one dataset to follow another");
  for (std::size_t i = 1; i < datasets_.size(); ++i) require_same(schema(), datasets_[i]->schema(), i);
  size();
}

std::size_t Concat::size() const {
  std::size_t end = 0;
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    end = checked_add(end, datasets_[i]->size());
    // Threads call this often, and sizes rarely change. Storing only changes keeps the cache lines shared between
    // threads.
    if (ends_[i].load(std::memory_order_relaxed) != end) ends_[i].store(end, std::memory_order_relaxed);
  }
  return end;
}

Concat::Place Concat::find(std::size_t index) const {
  const auto end_of = [](const std::atomic<std::size_t>& end) { return end.load(std::memory_order_relaxed); };
  const auto found = std::ranges::upper_bound(ends_, index, {}, end_of);
  if (found == ends_.end()) return {};
  const auto position = static_cast<std::size_t>(found - ends_.begin());
  const std::size_t first = position == 0 ? 0 : end_of(ends_[position - 1]);
  const Dataset& dataset = *datasets_[position];
  if (index < first || index - first >= dataset.size()) return {};
  return {&dataset, index - first};
}

Concat::Place Concat::at(std::size_t index) const {
  const Place place = find(index);
  if (place.dataset != nullptr) return place;
  throw ArgumentError(
      fmt::format("there is no sample {}: the {} datasets have {}", index, datasets_.size(), size()));
}

void Concat::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  const Place place = at(index);
  place.dataset->get(place.index, rng, out);
}

void Concat::prefetch(std::size_t index) const noexcept {
  pass_hint([&] {
    const Place place = find(index);
    if (place.dataset != nullptr) place.dataset->prefetch(place.index);
  });
}

void Concat::read_ahead(std::size_t index) const noexcept {
  pass_hint([&] {
    const Place place = find(index);
    if (place.dataset != nullptr) place.dataset->read_ahead(place.index);
  });
}

bool Concat::reads_ahead() const noexcept {
  return std::ranges::any_of(datasets_, [](const DatasetRef& dataset) { return dataset->reads_ahead(); });
}

std::string Concat::warnings() const {
  std::string all;
  for (const DatasetRef& dataset : datasets_) append_warning(all, dataset->warnings());
  return all;
}

std::optional<std::string> Concat::spec() const {
  return concat_spec(datasets_);
}

std::string Concat::describe(std::size_t index) const {
  const Place place = at(index);
  return place.dataset->describe(place.index);
}

}  // namespace leat
