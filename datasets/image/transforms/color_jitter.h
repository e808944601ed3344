#pragma once

#include <optional>
#include <variant>

#include "leat/datasets/image/pixel_edits.h"
#include "leat/datasets/image/transforms/checks.h"
#include "leat/datasets/rng.h"

namespace leat {

// An amount, or the interval that is drawn from.
class JitterRange {
 public:
  JitterRange(double amount)
      : given_(amount) {}  // NOLINT(google-explicit-constructor): as torchvision takes it
  JitterRange(Interval interval)
      : given_(interval) {}  // NOLINT(google-explicit-constructor): as torchvision takes it

  // Around `centre`, not below `least`. Nullopt where it holds `centre` alone: nothing is to be done. Throws
  // ArgumentError outside [least, most].
  std::optional<Interval> around(double centre, const char* name, double least, double most) const;

 private:
  std::variant<double, Interval> given_;
};

// Brightness, contrast, saturation and hue, in random order. The first three are factors: an amount v draws them from
// [max(0, 1 - v), 1 + v]. Hue is a shift in turns: v draws it from [-v, v]; it lies within [-0.5, 0.5].
//
// Draws the order of the four (three numbers: from the last place down to the second, which of those up to it comes
// there), then brightness, contrast, saturation, hue, of those that are not 0.
class ColorJitter {
 public:
  explicit ColorJitter(JitterRange brightness = 0, JitterRange contrast = 0, JitterRange saturation = 0,
                       JitterRange hue = 0);

  void draw(Size picture, Rng& rng, PixelEdits& edits) const;

 private:
  std::optional<Interval> brightness_, contrast_, saturation_, hue_;  // nullopt: left alone
};

}  // namespace leat
