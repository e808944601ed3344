// Checks of the parameters of transforms, for their constructors. Each function throws ArgumentError that names the
// transform, the parameter and its value.
#pragma once

#include "leat/datasets/transforms.h"

namespace leat::detail {

void require_extents(const char* transform, Size size);  // at least 1
void require_probability(const char* transform, double p);
void require_within(const char* transform, const char* name, double value, double least, double most);
// The interval must be positive, finite, and not empty.
void require_positive(const char* transform, const char* name, Interval interval);
// The interval must be within [least, most], and not empty.
void require_within(const char* transform, const char* name, Interval interval, double least, double most);

}  // namespace leat::detail
