// What comes behind resampling: borders, edits of pixels, and the form in which they leave.
#pragma once

#include "leat/datasets/image/image.h"
#include "leat/datasets/image/pixel_output.h"
#include "leat/datasets/image/pixels/pixel_edits.h"
#include "leat/datasets/image/resample/canvas.h"
#include "leat/datasets/image/resample/resample.h"

namespace leat::detail {

// What becomes of one image, with every number drawn.
struct ImagePlan {
  Canvas canvas;
  PixelEdits edits;  // of the canvas
};

// Keeps the memory it works in; not thread-safe. A plan without borders and edits costs nothing.
class PixelStage {
 public:
  // Where the output of the plan's geometry is to be written: `out` itself where nothing follows. Throws ArgumentError
  // where `out` has not the canvas's size.
  PixelOutput begin(const ImagePlan& plan, const PixelOutput& out);

  // What was written there becomes the image that is planned, in `out`.
  void finish(const ImagePlan& plan, const PixelOutput& out);

 private:
  MutableImageView canvas_in(const PixelOutput& out);

  Image image_;   // inside of its borders
  Image canvas_;  // with them, where it leaves in another form
  Image scratch_;
  Resampler form_;
};

}  // namespace leat::detail
