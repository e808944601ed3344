// The cost of each step of loading an image.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/loader/sweep_page.h"
#include "tools/sweep/swept_images.h"

namespace leat::tools {

/// CPU microseconds of one thread for one image: medians of three rounds over the same images.
struct StepTimes {
  double read = 0;  ///< reading the stored bytes into memory
  double read_open =
      0;  ///< the same from files that are already open; equals `read` if images are not files of their own
  double decode = 0;   ///< decoding to the pixels that the transforms need; 0 if pixels are stored
  double sample = 0;   ///< get(): all of the above, and the transforms
  double deliver = 0;  ///< an inline loader, per sample: get(), and its own work
  double copy = 0;     ///< copying a finished sample in memory
};

/// Measures up to 256 images, spread over the dataset, on the calling thread. Takes a few seconds at most.
StepTimes measure_steps(const SweptImages& images);

/// Returns the costs of the steps that a sample goes through, in order. Differences that noise makes negative are 0.
std::vector<SampleCost> sample_costs(const StepTimes& times);

}  // namespace leat::tools
