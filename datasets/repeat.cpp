#include "leat/datasets/repeat.h"

#include <fmt/format.h>

#include <utility>

#include "leat/datasets/base/checked.h"
#include "leat/datasets/combinators/hint.h"
#include "leat/datasets/errors.h"
#include "leat/datasets/spec/combinator_spec.h"

namespace leat {

using namespace detail;

Repeat::Repeat(DatasetRef dataset, std::size_t times) : dataset_(std::move(dataset)), times_(times) {
  if (times == 0) throw ArgumentError("a dataset cannot be repeated 0 times");
  size();
}

std::size_t Repeat::size() const {
  return checked_multiply(dataset_->size(), times_);
}

void Repeat::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  dataset_->get(original(index), rng, out);
}

void Repeat::prefetch(std::size_t index) const noexcept {
  pass_hint([&] { dataset_->prefetch(original(index)); });
}

void Repeat::read_ahead(std::size_t index) const noexcept {
  pass_hint([&] { dataset_->read_ahead(original(index)); });
}

std::string Repeat::describe(std::size_t index) const {
  return dataset_->describe(original(index));
}

std::optional<std::string> Repeat::spec() const {
  return repeat_spec(*dataset_, times_);
}

std::size_t Repeat::original(std::size_t index) const {
  const std::size_t samples = dataset_->size();
  if (samples == 0 || index / samples >= times_) {
    throw ArgumentError(
        fmt::format("there is no sample {}: the dataset has {}, {} times over", index, samples, times_));
  }
  return index % samples;
}

}  // namespace leat
