// Several datasets as one, side by side.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "leat/datasets/dataset.h"

namespace leat {

// Sample i has the fields of sample i of every part: Zip({images, captions}). Parts write straight to their fields. With
// a prefix, a part's field "x" is called "prefix.x": Zip({{before, "before"}, {after, "after"}}).
//
// Parts have equally many samples: where they do not, something is usually wrong, so nothing is cut off in silence
// (Subset does it aloud). Each part has a generator of its own, made from the sample's, so that what a part draws does
// not depend on the parts beside it. The datasets outlive this, which is as thread-safe as they are.
class Zip final : public Dataset {
 public:
  struct Part {
    Part(const Dataset& of, std::string named = {})  // NOLINT(google-explicit-constructor): Zip({a, b})
        : dataset(&of), prefix(std::move(named)) {}
    Part(const Dataset&& temporary, std::string named = {}) = delete;

    const Dataset* dataset;
    std::string prefix;
  };

  // Throws ArgumentError where there is no part or one without fields, where two fields have one name, and where sizes
  // differ.
  explicit Zip(std::vector<Part> parts);

  // Throws ArgumentError where the sizes of the parts differ by now.
  std::size_t size() const override;
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng& rng, SampleWriter& out) const override;
  void prefetch(std::size_t index) const noexcept override;
  void read_ahead(std::size_t index) const noexcept override;
  bool reads_ahead() const noexcept override;
  std::string warnings() const override;
  std::string describe(std::size_t index) const override;  // "a.jpg, line 7"

 private:
  std::vector<Part> parts_;
  Schema schema_;
};

}  // namespace leat
