// Kernels that are compiled for several instruction sets.
#pragma once

#include <functional>

namespace leat::test {

// Runs `body` once for each instruction set that this machine has, which the kernels then use.
void on_every_target(const std::function<void()>& body);

}  // namespace leat::test
