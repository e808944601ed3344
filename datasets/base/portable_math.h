// Functions that give the same bits on every platform. Those of the C library differ in the last place between
// libraries and processors, so numbers that are drawn with them would differ, too.
#pragma once

namespace leat::detail {

// Returns the natural logarithm of a positive finite number, within a relative error of 1e-15, and within 1e-15 of 0
// near 1.
double portable_log(double value) noexcept;

// Returns e to the power of a finite number, within a relative error of 1e-15 for normal results.
double portable_exp(double value) noexcept;

}  // namespace leat::detail
