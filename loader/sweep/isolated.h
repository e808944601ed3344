// Running a piece of a program in a process of its own.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace leat::detail {

// Forks a child that runs `body`, and returns its result. While it waits, the caller runs `watch(child's
// pid)` at every `interval`. The caller is single-threaded before, and still is afterwards: that is the use
// of it, besides memory and CPU time that are the child's own. Throws an Error with the text of what `body`
// threw, or one that says how the child ended without a result. The child never outlives the caller's thread.
std::string run_isolated(const std::function<std::string()>& body, std::chrono::milliseconds interval,
                         const std::function<void(int pid)>& watch);

// The same without a watch.
std::string run_isolated(const std::function<std::string()>& body);

}  // namespace leat::detail
