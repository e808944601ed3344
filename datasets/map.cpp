#include "leat/datasets/map.h"

#include <utility>

#include "leat/datasets/combinators/scratch_sample.h"
#include "leat/datasets/errors.h"

namespace leat {

using namespace detail;

namespace {

template <class Function>
Function required(Function function) {
  if (!function) throw ArgumentError("a map needs a function");
  return function;
}

}  // namespace

Map::Map(DatasetRef dataset, Schema schema, Function function)
    : dataset_(std::move(dataset)),
      schema_(std::move(schema)),
      function_(required(std::move(function))),
      layout_(std::make_shared<const ScratchLayout>(dataset_->schema())) {}

void Map::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  const ScratchSample scratch(dataset_->schema(), *layout_);
  SampleWriter sample = scratch.writer();
  dataset_->get(index, rng, sample);
  sample.check_complete();
  function_(SampleView(sample), out, rng);
}

MapInPlace::MapInPlace(DatasetRef dataset, Function function)
    : dataset_(std::move(dataset)), function_(required(std::move(function))) {}

void MapInPlace::get(std::size_t index, Rng& rng, SampleWriter& out) const {
  dataset_->get(index, rng, out);
  out.check_complete();  // checked here, since the function requests fields, too
  function_(out, rng);
}

}  // namespace leat
