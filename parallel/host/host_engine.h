// What a communicator over host memory is made of: blocking collectives of one rank. HostCommunicator turns
// them into work on streams.
#pragma once

#include <string>
#include <string_view>

#include "leat/parallel/host/collective_call.h"

namespace leat::detail {

// run() is called by one thread at a time (not always the same one); abort() by any, also during run().
class HostEngine {
 public:
  virtual ~HostEngine() = default;
  HostEngine(const HostEngine&) = delete;
  HostEngine& operator=(const HostEngine&) = delete;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  virtual std::string name() const = 0;

  // Carries out this rank's side and returns when its memory holds the result and no other rank uses it.
  // Returns within the engine's timeout, or throws CommunicationError, also with peers that are lost or in
  // disagreement; after an error every further call throws.
  virtual void run(const CollectiveCall& call) = 0;

  // Makes run() throw, here and on the other ranks, now and from now on.
  virtual void abort(std::string_view why) noexcept = 0;

 protected:
  HostEngine() = default;
};

}  // namespace leat::detail
