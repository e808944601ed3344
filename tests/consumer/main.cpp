// What a user writes first: a dataset of their own, loaded by worker processes, moved to a device. The program has
// headers with the names of leat's, and finds those of its own by these names.
#include <leat.h>
#include <leat/loader/errors.h>

#include <cstdint>
#include <cstdio>

#include "datasets/dataset.h"
#include "loader/errors.h"
#include "parallel/world.h"

namespace {

class Squares final : public leat::Dataset {
 public:
  std::size_t size() const override { return 1000; }
  const leat::Schema& schema() const override { return schema_; }
  void get(std::size_t index, leat::Rng&, leat::SampleWriter& out) const override {
    out.set("square", static_cast<std::int64_t>(index * index));
  }

 private:
  leat::Schema schema_{{{"square", leat::DType::i64, {}}}};
};

}  // namespace

int main() {
  const consumer::Dataset of_its_own{"squares"};
  const consumer::World world{of_its_own.text};
  if (const consumer::Error error{world.text}; error.text != "squares") return 1;
  if (leat::version().text != LEAT_VERSION) return 1;

  const Squares squares;
  leat::DataLoader loader(squares, {.batch_size = 32, .shuffle = true, .num_workers = 2});
  leat::Device& device = leat::host_device();
  leat::Prefetcher feed(loader, device);
  const leat::Stream stream = device.make_stream();
  std::int64_t sum = 0;
  for (leat::DeviceBatch& batch : feed.epoch(0, stream)) {
    stream.ref().synchronize();
    for (const std::int64_t square : batch["square"].as<std::int64_t>()) sum += square;
  }
  std::printf("%lld\n", static_cast<long long>(sum));
  return sum == 332833500 ? 0 : 1;  // 999 * 1000 * 1999 / 6
}
