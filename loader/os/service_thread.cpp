#include "leat/loader/os/service_thread.h"

#include <pthread.h>

#include <system_error>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/loader/os/blocked_signals.h"

namespace leat::detail {

std::thread start_service_thread(const std::string& name, std::function<void()> body) {
  const BlockedSignals blocked;
  try {
    std::thread thread(std::move(body));
    pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
    return thread;
  } catch (const std::system_error& error) {
    throw SystemError("starting the thread " + name, error.code().value());
  }
}

}  // namespace leat::detail
