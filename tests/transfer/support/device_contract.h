// What every device must do, as checks that run over each of them. Nothing here measures time: whether work
// is asynchronous is shown by work that cannot end before the host has gone on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leat/datasets/errors.h"
#include "leat/transfer/device.h"

namespace leat::test {

struct Clause {
  const char* name;
  void (*check)(Device& device);
};

std::vector<Clause> stream_clauses();
std::vector<Clause> event_clauses();
std::vector<Clause> failure_clauses();
std::vector<Clause> memory_clauses();
std::vector<Clause> normalize_clauses();
std::vector<Clause> batch_operation_clauses();
std::vector<Clause> mixing_clauses();

// All of the above.
std::vector<Clause> device_contract();

// An error that no library throws.
class PlannedError : public Error {
 public:
  using Error::Error;
};

// The device's memory as bytes in host memory; waits for `stream` first.
std::vector<std::byte> download(StreamRef stream, const void* memory, std::size_t bytes);

// start, start + step, start + 2 step, ... modulo 256.
std::vector<std::byte> byte_ramp(std::size_t size, unsigned start, unsigned step = 1);

}  // namespace leat::test
