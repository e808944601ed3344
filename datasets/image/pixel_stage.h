// The steps after resampling: borders, pixel edits, and the conversion to the output format.
#pragma once

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/pixel_output.h"
#include "leat/datasets/image/pixels/pixel_edits.h"
#include "leat/datasets/image/resample/canvas.h"
#include "leat/datasets/image/resample/resample.h"

namespace leat::detail {

// All operations for one image. All random numbers are already drawn.
struct ImagePlan {
  Canvas canvas;
  PixelEdits edits;  // edits of the canvas
};

// Keeps its working memory. Not thread-safe. Does nothing if the plan has neither borders nor edits.
class PixelStage {
 public:
  // Returns where the output of the plan's geometry must be written. This is `out` itself if no step follows. Throws
  // ArgumentError if `out` does not have the canvas's size.
  PixelOutput begin(const ImagePlan& plan, const PixelOutput& out);

  // Turns the pixels that were written there into the planned image, in `out`.
  void finish(const ImagePlan& plan, const PixelOutput& out);

 private:
  MutableImageView canvas_in(const PixelOutput& out);

  Image image_;   // without borders
  Image canvas_;  // with borders, if the output has another format
  Image scratch_;
  Resampler form_;
};

}  // namespace leat::detail
