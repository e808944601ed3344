// What comes behind resampling: borders, edits of pixels, and the form in which they leave.
#pragma once

#include "leat/datasets/image/canvas.h"
#include "leat/datasets/image/image.h"
#include "leat/datasets/image/pixel_edits.h"
#include "leat/datasets/image/pixel_output.h"
#include "leat/datasets/image/resample.h"

namespace leat {

// What becomes of one picture, with every number drawn.
struct PicturePlan {
  Canvas canvas;
  PixelEdits edits;  // of the canvas
};

// Keeps the memory it works in; not thread-safe. A plan without borders and edits costs nothing.
class PixelStage {
 public:
  // Where the output of the plan's geometry is to be written: `out` itself where nothing follows. Throws ArgumentError
  // where `out` has not the canvas's size.
  PixelOutput begin(const PicturePlan& plan, const PixelOutput& out);

  // What was written there becomes the picture that is planned, in `out`.
  void finish(const PicturePlan& plan, const PixelOutput& out);

 private:
  MutableImageView canvas_in(const PixelOutput& out);

  Image picture_;  // inside of its borders
  Image canvas_;   // with them, where it leaves in another form
  Image scratch_;
  Resampler form_;
};

}  // namespace leat
