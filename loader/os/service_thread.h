// How the library starts its own threads.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace leat::detail {

// A thread that runs `body`, named for debuggers (the first 15 bytes of `name` count) and with every signal
// blocked, so that the process's signals go to the threads of the user. `body` must not throw.
// Throws SystemError if no thread can be started.
std::thread start_service_thread(const std::string& name, std::function<void()> body);

}  // namespace leat::detail
