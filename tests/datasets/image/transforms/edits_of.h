// What a pipeline plans for an image's pixels.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/image/transforms/transform_plan.h"

namespace leat::test {

inline leat::detail::PixelEdits edits_of(const TransformPipeline& pipeline, Size image, Rng rng) {
  return leat::detail::plan(pipeline, image, rng).edits;
}

// The edit at `i`, which must be an E.
template <class E>
E edit_at(const leat::detail::PixelEdits& edits, std::size_t i = 0) {
  REQUIRE(i < edits.size());
  REQUIRE(std::holds_alternative<E>(edits[i]));
  return std::get<E>(edits[i]);
}

}  // namespace leat::test
