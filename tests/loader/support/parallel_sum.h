// A parallel loop, as a user's dataset may have one. Runs on one thread where the compiler has no OpenMP.
#pragma once

#include <cstddef>

namespace leat::test {

bool has_openmp();
int parallel_threads();                    // that a parallel loop of this thread would run on
double parallel_sum(std::size_t numbers);  // of the halves of 0, ..., numbers - 1
double serial_sum(std::size_t numbers);

}  // namespace leat::test
