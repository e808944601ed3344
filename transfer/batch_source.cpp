#include "leat/transfer/batch_source.h"

#include "leat/loader/data_loader.h"
#include "leat/loader/engine/loader_core.h"

namespace leat {

using namespace detail;

BatchSource BatchSource::of(DataLoader& loader) {
  LoaderCore& core = loader.core();
  BatchSource source;
  source.next = [&core] { return core.next(); };
  source.start_epoch = [&core](std::uint64_t epoch) { core.start_epoch(epoch); };
  source.state = [&core] { return core.state(); };
  source.layout = loader.layout();
  source.max_held_batches = loader.options().max_held_batches;
  source.memory = core.scheduler().table().taken_slot_memory();
  source.keeper = loader.slot_keeper();
  return source;
}

}  // namespace leat
