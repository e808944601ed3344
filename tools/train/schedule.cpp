#include "tools/train/schedule.h"

#include <cmath>
#include <numbers>

namespace leat::tools {

float learning_rate(float peak, std::size_t step, std::size_t steps) {
  const std::size_t rising = steps / 20;
  if (step < rising) return peak * static_cast<float>(step + 1) / static_cast<float>(rising + 1);
  const double progress = static_cast<double>(step - rising) / static_cast<double>(steps - rising);
  return static_cast<float>(peak * (1 + std::cos(std::numbers::pi * progress)) / 2);
}

}  // namespace leat::tools
