#include "tests/loader/support/parallel_sum.h"

#include <dlfcn.h>

namespace leat::test {

namespace {

int ask(const char* function) {
  const auto asked = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, function));
  return asked == nullptr ? 1 : asked();
}

}  // namespace

bool has_openmp() {
  return ::dlsym(RTLD_DEFAULT, "omp_get_max_threads") != nullptr;
}

int parallel_threads() {
  return ask("omp_get_max_threads");
}

// Halves are sums of powers of two, so that the order of the additions does not matter.
double parallel_sum(std::size_t numbers) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < numbers; ++i) sum += static_cast<double>(i) * 0.5;
  return sum;
}

double serial_sum(std::size_t numbers) {
  return static_cast<double>(numbers) * static_cast<double>(numbers - 1) / 4;
}

}  // namespace leat::test
