// A dataset whose samples take a given time, and contain the time and the process of their creation.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "leat/datasets/dataset.h"

namespace leat::bench {

// Fields: "ended", steady_clock's nanoseconds when get() returned, and "pid". get() sleeps for duration(index). It
// does not compute, because the benchmark measures scheduling, not the CPU.
class TimedDataset final : public Dataset {
 public:
  using Duration = std::function<std::chrono::nanoseconds(std::size_t index)>;

  TimedDataset(std::size_t size, Duration duration) : size_(size), duration_(std::move(duration)) {}

  std::size_t size() const override { return size_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    if (const auto wait = duration_(index); wait.count() > 0) std::this_thread::sleep_for(wait);
    out.set(1, std::int32_t{::getpid()});
    out.set(0, static_cast<std::int64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  }

 private:
  std::size_t size_;
  Duration duration_;
  Schema schema_{{{"ended", DType::i64, {}}, {"pid", DType::i32, {}}}};
};

}  // namespace leat::bench
