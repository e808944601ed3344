// Starts the library's own threads.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace leat::detail {

// Starts a thread that runs `body`. Debuggers see the first 15 bytes of `name` as its name. Every signal is blocked
// in the thread, so that signals of the process go to the user's threads. `body` must not throw. Throws SystemError
// if no thread can be started.
std::thread start_service_thread(const std::string& name, std::function<void()> body);

}  // namespace leat::detail
