// What tests ask of the fake.
#include "tests/cuda_fake/fake_cuda.h"

#include <fmt/format.h>

#include <utility>

#include "tests/cuda_fake/runtime.h"

namespace leat::cuda_fake {

namespace {

template <class Body>
auto locked(Body body) {
  Machine::Lock lock(Machine::get().mutex);
  return body(lock);
}

}  // namespace

Counts counts() {
  return locked([](Machine::Lock&) { return Runtime::get().counts; });
}

Holdings holdings() {
  return locked([](Machine::Lock&) {
    const Runtime& runtime = Runtime::get();
    return Holdings{runtime.allocations.size(), runtime.registrations.size(), runtime.streams.size(),
                    runtime.events.size()};
  });
}

std::vector<std::string> take_violations() {
  return locked([](Machine::Lock&) { return Machine::get().take_violations(); });
}

void run_randomly(std::uint64_t seed) {
  locked([&](Machine::Lock& lock) { Machine::get().set_mode(lock, Machine::Mode::random, seed); });
}

void hold() {
  locked([](Machine::Lock& lock) { Machine::get().set_mode(lock, Machine::Mode::held, 0); });
}

void go_free() {
  locked([](Machine::Lock& lock) { Machine::get().set_mode(lock, Machine::Mode::free, 0); });
}

bool step(cudaStream_t stream) {
  return locked([&](Machine::Lock& lock) {
    const auto queue = queue_of(stream);
    return queue != nullptr && Machine::get().step(lock, *queue);
  });
}

std::vector<std::string> queued(cudaStream_t stream) {
  return locked([&](Machine::Lock&) {
    std::vector<std::string> names;
    const auto queue = queue_of(stream);
    if (queue == nullptr) return names;
    for (const NodePtr& node : queue->nodes) names.push_back(node->work.name);
    return names;
  });
}

void use(cudaStream_t stream, const void* memory, std::size_t bytes, Access access) {
  locked([&](Machine::Lock& lock) {
    const auto queue = queue_of(stream);
    if (queue == nullptr) return;
    Runtime& runtime = Runtime::get();
    const auto* const first = static_cast<const std::byte*>(memory);
    Work work{.name = "use", .ranges = {{first, bytes, access}}};
    if (runtime.find(memory) == nullptr) {
      if (!runtime.is_registered(memory, bytes, queue->device)) {
        Machine::get().report(
            fmt::format("a use of {} bytes at {}, which are host memory that is not registered", bytes,
                        fmt::ptr(memory)));
      } else if (access == Access::read) {
        work.run = runtime.watch(*queue, first, bytes);
      }
    }
    runtime.enqueue(lock, *queue, std::move(work));
  });
}

void forbid_peer_access() {
  locked([](Machine::Lock&) { Runtime::get().forbids_peers = true; });
}

void reset_peer_access() {
  locked([](Machine::Lock&) {
    Runtime::get().forbids_peers = false;
    Runtime::get().peers.clear();
  });
}

void set_pci_address(const std::string& address) {
  locked([&](Machine::Lock&) { Runtime::get().pci_address = address; });
}

void hide_driver_functions(bool hidden) {
  locked([&](Machine::Lock&) { Runtime::get().lacks_driver_functions = hidden; });
}

void fail_call(std::size_t n, cudaError_t error, const std::string& function) {
  locked([&](Machine::Lock&) {
    Runtime& runtime = Runtime::get();
    runtime.calls_to_failure = n;
    runtime.failure = error;
    runtime.failed_call.clear();
    runtime.failing_function = function;
  });
}

std::string failed_call() {
  return locked([](Machine::Lock&) { return Runtime::get().failed_call; });
}

void lose(cudaError_t error) {
  locked([&](Machine::Lock& lock) {
    Machine::get().drop_work(lock);  // first: who sees the error may take it that nothing runs any more
    Runtime::get().lost = error;
  });
}

void recover() {
  locked([](Machine::Lock&) {
    Runtime& runtime = Runtime::get();
    runtime.lost = cudaSuccess;
    runtime.calls_to_failure = 0;
  });
}

}  // namespace leat::cuda_fake
