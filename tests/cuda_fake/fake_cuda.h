// A CUDA runtime on the CPU, for tests of code that is written for GPUs: what a test may ask of it.
//
// It implements the functions of include/ over host memory. It is stricter than CUDA where code that works by luck
// would not be noticed, and it reports what a GPU would do silently: see take_violations().
//
//  - A stream runs its work in order; streams run in any order that their events allow. All work of all devices runs
//    on one thread of the fake, one piece at a time, and host functions on another one, as CUDA's do.
//  - Device memory cannot be read or written by the host. It is filled with 0xab when it is allocated. The bytes behind
//    an allocation are checked when it is freed.
//  - A copy from or to host memory that is not registered blocks the caller as the CUDA documentation says.
//  - The legacy default stream waits for the blocking streams of its device, and they for it.
//  - What comes before a wait for a word of the host is not known until the host writes the word. So accesses behind
//    such a wait are checked when it ends. What the host has waited for by then comes before them.
//
// The number of devices is the environment's LEAT_FAKE_GPUS (2 if it is not set).
//
// A program that ends with violations that no test took prints them and ends with status 70.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace leat::cuda_fake {

// --- What happened so far, in all devices of this process.

struct Counts {
  std::size_t calls = 0;            // of functions of the runtime, host functions' included
  std::size_t copies = 0;           // enqueued, each of a batch
  std::size_t copy_batches = 0;     // enqueued, by cudaMemcpyBatchAsync()
  std::size_t pageable_copies = 0;  // enqueued, from or to host memory that is not registered
  std::size_t host_functions = 0;   // enqueued
  std::size_t kernels = 0;          // enqueued
  std::size_t value_waits = 0;      // of streams for words that the host writes, enqueued
  std::size_t staged_copies =
      0;  // enqueued, from or to another device's memory that the stream's device cannot access
  std::size_t spinning_waits =
      0;  // of threads of the host that may not sleep: by the flags of what they wait for
};
Counts counts();

// Returns what is allocated, registered or open now: 0 of each once all is given back.
struct Holdings {
  std::size_t allocations = 0;
  std::size_t registrations = 0;
  std::size_t streams = 0;
  std::size_t events = 0;
  friend bool operator==(const Holdings&, const Holdings&) = default;
};
Holdings holdings();

// Returns the violations since the last call, and forgets them:
//  - a copy, fill or use() touches memory that one on another stream may touch at the same time, and one of them
//    writes: no events, stream order or waits of the host order them;
//  - the source of a copy, or host memory that a use() reads, changed between the call and the copy or the use;
//  - a use() touches host memory that is not registered;
//  - a copy of a batch of copies writes memory that another one of the batch touches;
//  - memory is freed while enqueued work uses it, or was written behind its end;
//  - a host function calls the runtime;
//  - a thread of a kernel exchanges values with a thread that is not there.
std::vector<std::string> take_violations();

// --- The order of the streams' work.

// From now on, work runs as soon as it can, in an order drawn with this seed.
void run_randomly(std::uint64_t seed);
// From now on, work runs only when step() says so.
void hold();
// From now on, work runs as soon as it can, the stream that has waited longest first. So it is at the start.
void go_free();
// Runs the next piece of work of a stream. Returns false if there is none, or if it must wait for another stream.
bool step(cudaStream_t stream);
// Returns the names of a stream's work that has not run: "copy", "record", ... in order.
std::vector<std::string> queued(cudaStream_t stream);

// --- Accesses by work that the fake cannot look into.

enum class Access { read, write };
// Enqueues work that uses memory for as long as the stream takes to the next piece of its work.
void use(cudaStream_t stream, const void* memory, std::size_t bytes, Access access);

// --- Where devices are.

// From now on, this is the PCI address of every device, as CUDA writes it. Empty: addresses that no system has, as at
// the start.
void set_pci_address(const std::string& address);

// --- What devices and the driver lack.

// From now on, no device can access the memory of another one that it could not access before.
void forbid_peer_access();
// Ends forbid_peer_access(), and all access that devices have to each other's memory.
void reset_peer_access();
// From now on until it is called again with false, the driver's functions are not found.
void hide_driver_functions(bool hidden);

// --- Failures.

// Makes the n-th call of a function of the runtime from now on (1 is the next) fail, once. Functions that do not
// report errors, and those that end something, are not counted. If a function's name is given, only its calls are.
void fail_call(std::size_t n, cudaError_t error, const std::string& function = {});
// Returns the name of the function that fail_call() made fail; empty if it has not come yet.
std::string failed_call();
// Makes every call that follows fail, as after an error of a kernel. Work that is enqueued is dropped.
void lose(cudaError_t error);
// Ends lose() and fail_call().
void recover();

}  // namespace leat::cuda_fake
