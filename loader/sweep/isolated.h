// Runs a function in a process of its own.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace leat::detail {

// Forks a child that runs `body`, and returns its result. While the caller waits, it calls watch(child's pid) after
// every `interval`. This serves two purposes: a single-threaded caller stays single-threaded, and the memory and CPU
// time of `body` are those of the child. Throws Error with the text of what `body` threw, or one that says how the
// child ended without a result. The child never outlives the calling thread.
std::string run_isolated(const std::function<std::string()>& body, std::chrono::milliseconds interval,
                         const std::function<void(int pid)>& watch);

// Does the same without calling a function meanwhile.
std::string run_isolated(const std::function<std::string()>& body);

}  // namespace leat::detail
