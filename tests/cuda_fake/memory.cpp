// Device memory, registered host memory, and copies.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include "tests/cuda_fake/runtime.h"

namespace leat::cuda_fake {

namespace {

constexpr std::size_t kBehind = 256;  // bytes behind an allocation that are checked
constexpr int kUninitialized = 0xab;
constexpr int kBehindTheEnd = 0xfd;

const std::byte* bytes_at(const void* address) {
  return static_cast<const std::byte*>(address);
}

// Returns pages that nobody may access, with `usable` bytes at the start that may be; null if there is no memory.
std::byte* map(std::size_t bytes, std::size_t usable) {
  void* const address = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  if (usable > 0) ::mprotect(address, usable, PROT_READ | PROT_WRITE);
  return static_cast<std::byte*>(address);
}

std::size_t page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t mapped_bytes(std::size_t bytes) {
  return (bytes + kBehind + page_bytes() - 1) / page_bytes() * page_bytes();
}

// One end of a copy.
struct End {
  std::byte* address = nullptr;  // where the fake reads or writes
  bool is_device = false;
  int device = 0;  // whose memory it is
  bool is_pageable = false;
  bool is_valid = true;
};

End end_of(const void* address, std::size_t bytes, int device) {
  const Runtime& runtime = Runtime::get();
  const auto* const allocation = runtime.find(address);
  if (allocation == nullptr) {
    return {.address = static_cast<std::byte*>(const_cast<void*>(address)),
            .is_pageable = !runtime.is_registered(address, bytes, device)};
  }
  const auto offset = static_cast<std::size_t>(bytes_at(address) - allocation->first);
  return {.address = runtime.alias_of(address),
          .is_device = true,
          .device = allocation->second.device,
          .is_valid = offset + bytes <= allocation->second.bytes};
}

bool fits(const End& from, const End& to, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !from.is_device && !to.is_device;
    case cudaMemcpyHostToDevice:
      return !from.is_device && to.is_device;
    case cudaMemcpyDeviceToHost:
      return from.is_device && !to.is_device;
    case cudaMemcpyDeviceToDevice:
      return from.is_device && to.is_device;
    default:
      return true;
  }
}

std::size_t hash_of(const std::byte* first, std::size_t bytes) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(first), bytes});
}

// Returns whether work that is enqueued may still write this memory of the host.
bool may_change(const Queue& queue, const std::byte* first, std::size_t bytes) {
  return std::ranges::any_of(queue.nodes, [&](const NodePtr& node) {
    return node->work.is_host_function || node->work.is_ready || !node->after.empty() ||
           std::ranges::any_of(node->work.ranges, [&](const Range& range) {
             return range.access == Access::write && overlap(range, {first, bytes});
           });
  });
}

// Returns the copying. Reports a source in page-locked memory that has changed when the copy runs.
std::function<void()> copying(const Queue& queue, const End& from, const End& to, std::size_t bytes) {
  const bool is_watched =
      queue.capture == nullptr && !from.is_device && !may_change(queue, from.address, bytes);
  const std::size_t expected = is_watched ? hash_of(from.address, bytes) : 0;
  return [=] {
    std::memcpy(to.address, from.address, bytes);
    if (!is_watched || hash_of(to.address, bytes) == expected) return;
    const Machine::Lock lock(Machine::get().mutex);
    Machine::get().report(
        fmt::format("{} bytes at {} changed before they were copied", bytes, fmt::ptr(from.address)));
  };
}

// Returns whether the device of the stream cannot access this end of a copy.
bool is_staged(const Queue& queue, const End& end) {
  return end.is_device && end.device != queue.device &&
         !Runtime::get().peers.contains({queue.device, end.device});
}

cudaError_t copy(Machine::Lock& lock, const std::shared_ptr<Queue>& queue, const End& from, const End& to,
                 const void* source, void* target, std::size_t bytes) {
  Machine& machine = Machine::get();
  Runtime& runtime = Runtime::get();
  ++runtime.counts.copies;
  Work work{.name = "copy",
            .ranges = {{bytes_at(source), bytes, Access::read}, {bytes_at(target), bytes, Access::write}}};
  const bool is_pageable = from.is_pageable || to.is_pageable;
  if (is_pageable) ++runtime.counts.pageable_copies;
  if (is_staged(*queue, from) || is_staged(*queue, to)) ++runtime.counts.staged_copies;
  if (!is_pageable || queue->capture != nullptr) {
    work.run = copying(*queue, from, to, bytes);
    runtime.enqueue(lock, *queue, std::move(work));
    return cudaSuccess;
  }
  // From pageable memory to a device, the call waits for the stream and stages the bytes. Otherwise it returns when
  // the copy is done.
  if (to.is_device) {
    machine.wait_for(lock, queue->last);
    const auto staged = std::make_shared<std::vector<std::byte>>(from.address, from.address + bytes);
    work.ranges.erase(work.ranges.begin());
    work.run = [staged, to] { std::memcpy(to.address, staged->data(), staged->size()); };
    machine.enqueue(lock, *queue, std::move(work));
    return runtime.lost;
  }
  work.run = [=] { std::memcpy(to.address, from.address, bytes); };
  machine.wait_for(lock, machine.enqueue(lock, *queue, std::move(work)));
  return runtime.lost;
}

// A copy of a batch of copies.
struct Piece {
  End from, to;
  const void* source;
  void* target;
  std::size_t bytes;

  Range read() const { return {bytes_at(source), bytes, Access::read}; }
  Range written() const { return {bytes_at(target), bytes, Access::write}; }
};

void count_piece(const Queue& queue, const Piece& piece) {
  Counts& counts = Runtime::get().counts;
  ++counts.copies;
  if (piece.from.is_pageable || piece.to.is_pageable) ++counts.pageable_copies;
  if (is_staged(queue, piece.from) || is_staged(queue, piece.to)) ++counts.staged_copies;
}

// The copies of a batch may run at once, so none may write what another one uses.
void check_independent(const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) {
    for (const Piece& other : pieces) {
      if (&piece == &other) continue;
      const bool is_shared = overlap(piece.written(), other.read()) ||
                             (&piece < &other && overlap(piece.written(), other.written()));
      if (!is_shared) continue;
      Machine::get().report(
          fmt::format("{} bytes at {}, which a batch of copies writes, are used by another copy of it",
                      piece.bytes, fmt::ptr(piece.target)));
    }
  }
}

// Each of the attributes applies from its first copy on, to the copies before the next one's.
bool are_valid(std::span<const cudaMemcpyAttributes> attributes, const std::size_t* firsts,
               std::size_t count) {
  if (attributes.empty() || firsts[0] != 0) return false;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    if (firsts[i] >= count || (i > 0 && firsts[i] <= firsts[i - 1])) return false;
    if (attributes[i].srcAccessOrder != cudaMemcpySrcAccessOrderStream)
      return false;  // no other one is needed yet
  }
  return true;
}

// Returns the entry of a map by address that holds these bytes; null if there is none.
template <class Map>
const typename Map::value_type* entry_that_holds(const Map& map, const void* address, std::size_t bytes) {
  auto next = map.upper_bound(bytes_at(address));
  if (next == map.begin()) return nullptr;
  --next;
  const auto offset = static_cast<std::size_t>(bytes_at(address) - next->first);
  return offset + bytes <= next->second.bytes ? &*next : nullptr;
}

// Reports work that may use memory which is given back.
void check_pending(std::span<const std::byte> memory) {
  Machine& machine = Machine::get();
  for (int device = 0; device < machine.devices(); ++device) {
    for (const auto& queue : machine.queues_of(device)) {
      for (const NodePtr& node : queue->nodes) {
        for (const Range& range : node->work.ranges) {
          if (overlap(range, {memory.data(), memory.size()})) {
            machine.report(fmt::format("{} bytes at {} are given back while {} of stream {} may use them",
                                       memory.size(), fmt::ptr(memory.data()), node->work.name, queue->id));
          }
        }
      }
    }
  }
}

void check_end(const std::byte* address, const Runtime::Allocation& allocation) {
  const std::byte* const behind = allocation.alias + allocation.bytes;
  if (!std::all_of(behind, behind + kBehind,
                   [](std::byte byte) { return byte == std::byte{kBehindTheEnd}; })) {
    Machine::get().report(
        fmt::format("{} bytes at {} were written behind their end", allocation.bytes, fmt::ptr(address)));
  }
}

}  // namespace

const std::pair<const std::byte* const, Runtime::Allocation>* Runtime::find(const void* address) const {
  return entry_that_holds(allocations, address, 0);
}

std::function<void()> Runtime::watch(const Queue& queue, const std::byte* first, std::size_t bytes) {
  if (queue.capture != nullptr || may_change(queue, first, bytes)) return [] {};
  return [=, expected = hash_of(first, bytes)] {
    if (hash_of(first, bytes) == expected) return;
    const Machine::Lock lock(Machine::get().mutex);
    Machine::get().report(
        fmt::format("{} bytes at {} changed before they were used", bytes, fmt::ptr(first)));
  };
}

bool Runtime::is_registered(const void* address, std::size_t bytes, int device) const {
  const auto* const found = entry_that_holds(registrations, address, bytes);
  return found != nullptr && (found->second.is_portable || found->second.device == device);
}

std::byte* Runtime::alias_of(const void* address) const {
  const auto* const allocation = find(address);
  return allocation == nullptr ? nullptr : allocation->second.alias + (bytes_at(address) - allocation->first);
}

}  // namespace leat::cuda_fake

using namespace leat::cuda_fake;

extern "C" {

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return call("cudaMalloc", Kind::unsafe, [&](Machine::Lock&) {
    Runtime& runtime = Runtime::get();
    *memory = nullptr;
    if (bytes == 0) return cudaSuccess;
    const int device = current_device();
    if (bytes > kDeviceBytes - runtime.used[device]) return cudaErrorMemoryAllocation;
    const std::size_t usable = mapped_bytes(bytes), mapped = usable + page_bytes();
    std::byte* const alias = map(mapped, usable);
    std::byte* const address = map(mapped, 0);
    if (alias == nullptr || address == nullptr) return cudaErrorMemoryAllocation;
    std::memset(alias, kUninitialized, bytes);
    std::memset(alias + bytes, kBehindTheEnd, kBehind);
    runtime.used[device] += bytes;
    runtime.allocations[address] = {.bytes = bytes, .device = device, .alias = alias, .mapped = mapped};
    *memory = address;
    return cudaSuccess;
  });
}

cudaError_t cudaFree(void* memory) {
  return call("cudaFree", Kind::unsafe_ending, [&](Machine::Lock& lock) {
    if (memory == nullptr) return cudaSuccess;
    Runtime& runtime = Runtime::get();
    const auto found = runtime.allocations.find(bytes_at(memory));
    if (found == runtime.allocations.end()) return cudaErrorInvalidValue;
    const Runtime::Allocation allocation = found->second;
    check_pending({found->first, allocation.bytes});
    Machine::get().wait_for_device(lock, allocation.device);  // as CUDA does
    check_end(bytes_at(memory), allocation);
    Machine::get().forget_accesses({bytes_at(memory), allocation.bytes});
    runtime.used[allocation.device] -= allocation.bytes;
    runtime.allocations.erase(bytes_at(memory));
    ::munmap(allocation.alias, allocation.mapped);
    ::munmap(memory, allocation.mapped);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return call("cudaMemGetInfo", Kind::plain, [&](Machine::Lock&) {
    *total = kDeviceBytes;
    *free = kDeviceBytes - Runtime::get().used[current_device()];
    return cudaSuccess;
  });
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return call("cudaHostAlloc", Kind::unsafe, [&](Machine::Lock&) {
    *memory = bytes == 0 ? nullptr : map(mapped_bytes(bytes), mapped_bytes(bytes));
    if (*memory == nullptr) return bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
    std::memset(*memory, kUninitialized, bytes);
    Runtime::get().registrations[bytes_at(*memory)] = {.bytes = bytes,
                                                       .device = current_device(),
                                                       .is_portable = (flags & cudaHostAllocPortable) != 0,
                                                       .is_allocated = true,
                                                       .is_mapped = (flags & cudaHostAllocMapped) != 0};
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** address, void* memory, unsigned) {
  return call("cudaHostGetDevicePointer", Kind::plain, [&](Machine::Lock&) {
    const auto* const found = entry_that_holds(Runtime::get().registrations, memory, 1);
    if (found == nullptr || !found->second.is_mapped) return cudaErrorInvalidValue;
    *address = memory;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* memory) {
  return call("cudaFreeHost", Kind::unsafe_ending, [&](Machine::Lock& lock) {
    if (memory == nullptr) return cudaSuccess;
    Runtime& runtime = Runtime::get();
    const auto found = runtime.registrations.find(bytes_at(memory));
    if (found == runtime.registrations.end() || !found->second.is_allocated) return cudaErrorInvalidValue;
    const std::size_t bytes = found->second.bytes;
    check_pending({found->first, bytes});
    for (int device = 0; device < Machine::get().devices(); ++device)
      Machine::get().wait_for_device(lock, device);
    Machine::get().forget_accesses({bytes_at(memory), bytes});
    runtime.registrations.erase(bytes_at(memory));
    ::munmap(memory, mapped_bytes(bytes));
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  return call("cudaHostRegister", Kind::unsafe, [&](Machine::Lock&) {
    Runtime& runtime = Runtime::get();
    if (memory == nullptr || bytes == 0) return cudaErrorInvalidValue;
    for (const auto& [address, registration] : runtime.registrations) {
      if (overlap({bytes_at(memory), bytes}, {address, registration.bytes}))
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    runtime.registrations[bytes_at(memory)] = {
        .bytes = bytes, .device = current_device(), .is_portable = (flags & cudaHostRegisterPortable) != 0};
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* memory) {
  return call("cudaHostUnregister", Kind::unsafe_ending, [&](Machine::Lock&) {
    auto& registrations = Runtime::get().registrations;
    const auto found = registrations.find(bytes_at(memory));
    if (found == registrations.end() || found->second.is_allocated) return cudaErrorHostMemoryNotRegistered;
    check_pending({found->first, found->second.bytes});
    Machine::get().forget_accesses({found->first, found->second.bytes});
    registrations.erase(found);
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  return call("cudaPointerGetAttributes", Kind::plain, [&](Machine::Lock&) {
    const Runtime& runtime = Runtime::get();
    void* const address = const_cast<void*>(memory);
    *attributes = {
        .type = cudaMemoryTypeUnregistered, .device = -1, .devicePointer = nullptr, .hostPointer = address};
    if (const auto* const allocation = runtime.find(memory)) {
      *attributes = {cudaMemoryTypeDevice, allocation->second.device, address, nullptr};
    } else if (runtime.is_registered(memory, 1, current_device())) {
      *attributes = {cudaMemoryTypeHost, current_device(), address, address};
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call_on(
      stream, "cudaMemcpyAsync", Kind::plain, [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
        if (bytes == 0) return cudaSuccess;
        const End source = end_of(from, bytes, queue->device), target = end_of(to, bytes, queue->device);
        if (!source.is_valid || !target.is_valid || !fits(source, target, kind)) return cudaErrorInvalidValue;
        return copy(lock, queue, source, target, from, to, bytes);
      });
}

// Reads pageable memory when the batch runs, too. The driver may stage it before, but does not say so.
cudaError_t cudaMemcpyBatchAsync(void* const* targets, const void* const* sources, const std::size_t* sizes,
                                 std::size_t count, cudaMemcpyAttributes* attributes, std::size_t* firsts,
                                 std::size_t attribute_count, cudaStream_t stream) {
  return call_on(
      stream, "cudaMemcpyBatchAsync", Kind::plain,
      [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
        if (queue->capture != nullptr) return invalidate(queue->capture, cudaErrorStreamCaptureUnsupported);
        if (queue->is_legacy || !are_valid({attributes, attribute_count}, firsts, count))
          return cudaErrorInvalidValue;
        std::vector<Piece> pieces;
        for (std::size_t i = 0; i < count; ++i) {
          pieces.push_back({end_of(sources[i], sizes[i], queue->device),
                            end_of(targets[i], sizes[i], queue->device), sources[i], targets[i], sizes[i]});
          if (sizes[i] == 0 || !pieces.back().from.is_valid || !pieces.back().to.is_valid)
            return cudaErrorInvalidValue;
        }
        check_independent(pieces);
        ++Runtime::get().counts.copy_batches;
        Work work{.name = "copies"};
        std::vector<std::function<void()>> runs;
        for (const Piece& piece : pieces) {
          count_piece(*queue, piece);
          runs.push_back(copying(*queue, piece.from, piece.to, piece.bytes));
          work.ranges.push_back(piece.read());
          work.ranges.push_back(piece.written());
        }
        work.run = [runs = std::move(runs)] {
          for (const auto& run : runs | std::views::reverse) run();  // in no order that a caller may rely on
        };
        Runtime::get().enqueue(lock, *queue, std::move(work));
        return cudaSuccess;
      });
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  return call_on(stream, "cudaMemsetAsync", Kind::plain,
                 [&](Machine::Lock& lock, const std::shared_ptr<Queue>& queue) {
                   if (queue->device != current_device()) return cudaErrorInvalidResourceHandle;
                   if (bytes == 0) return cudaSuccess;
                   const End target = end_of(memory, bytes, queue->device);
                   if (!target.is_valid || target.is_pageable) return cudaErrorInvalidValue;
                   Runtime::get().enqueue(lock, *queue,
                                          {.name = "fill",
                                           .run = [=] { std::memset(target.address, value, bytes); },
                                           .ranges = {{bytes_at(memory), bytes, Access::write}}});
                   return cudaSuccess;
                 });
}

}  // extern "C"
