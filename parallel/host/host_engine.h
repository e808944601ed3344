// The interface to one rank's blocking collectives over host memory. HostCommunicator turns them into work on
// streams.
#pragma once

#include <string>

#include "leat/parallel/host/collective_call.h"
#include "leat/parallel/host/failure.h"

namespace leat::detail {

// run() is called by one thread at a time (not always the same one), abort() by any thread, also during run().
class HostEngine {
 public:
  virtual ~HostEngine() = default;
  HostEngine(const HostEngine&) = delete;
  HostEngine& operator=(const HostEngine&) = delete;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual std::string name() const = 0;

  // Carries out this rank's side. Returns when its memory holds the result and no other rank uses its memory. Returns
  // or throws CommunicationError within the engine's timeout, even if peers are lost or disagree. After an error,
  // every further call throws.
  virtual void run(const CollectiveCall& call) = 0;

  // Makes the current run() and all later ones throw `why`, here and on the other ranks.
  virtual void abort(const Failure& why) noexcept = 0;

 protected:
  HostEngine() = default;
};

}  // namespace leat::detail
