// Where the time of an image goes.
#pragma once

#include <cstddef>
#include <vector>

#include "leat/loader/sweep_page.h"
#include "tools/sweep/swept_images.h"

namespace leat::tools {

/// CPU microseconds of one thread for one image; medians of three rounds over the same images.
struct StepTimes {
  double read = 0;  ///< the stored bytes into memory
  double read_open =
      0;  ///< the same from files that are open already; as `read` if images are not files of their own
  double decode = 0;   ///< to the pixels that the transforms need; 0 if pixels are stored
  double sample = 0;   ///< get(): all of the above, and the transforms
  double deliver = 0;  ///< an inline loader, for each sample: get(), and its own work
  double copy = 0;     ///< a finished sample from memory to memory
};

/// Measures up to 256 images, spread over the dataset, on the calling thread. Takes seconds at most.
StepTimes measure_steps(const SweptImages& images);

/// The steps that a sample goes through, one after the other. Differences that noise makes negative are 0.
std::vector<SampleCost> sample_costs(const StepTimes& times);

}  // namespace leat::tools
