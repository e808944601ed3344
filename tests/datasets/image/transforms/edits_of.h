// What a pipeline plans for a picture's pixels.
#pragma once

#include <catch2/catch_test_macros.hpp>

#include "leat/datasets/image/transform.h"

namespace leat::test {

inline PixelEdits edits_of(const TransformPipeline& pipeline, Size picture, Rng rng) {
  return pipeline.plan(picture, rng).edits;
}

// The edit at `i`, which must be an E.
template <class E>
E edit_at(const PixelEdits& edits, std::size_t i = 0) {
  REQUIRE(i < edits.size());
  REQUIRE(std::holds_alternative<E>(edits[i]));
  return std::get<E>(edits[i]);
}

}  // namespace leat::test
