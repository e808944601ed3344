#include "transfer/batch_source.h"

#include "loader/data_loader.h"

namespace leat {

BatchSource source_of(DataLoader& loader) {
  BatchSource source;
  source.next = [&loader] { return loader.next(); };
  source.start_epoch = [&loader](std::uint64_t epoch) { loader.start_epoch(epoch); };
  source.state = [&loader] { return loader.state(); };
  source.layout = loader.layout();
  source.leases = loader.options().leases;
  source.memory = loader.slots().bytes;
  source.keeper = loader.slot_keeper();
  return source;
}

}  // namespace leat
