// A dataset of images that are as cheap as possible.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>

#include "leat/datasets/dataset.h"

namespace leat::bench {

inline constexpr std::int64_t kSide = 224, kChannels = 3;
inline constexpr std::size_t kImageBytes = kSide * kSide * kChannels;

/// Fields: "image", u8 [224, 224, 3], and "label". Each sample waits for `wait(index)`. Its pixels are either
/// written, or left as they are in the slot's memory.
class ImageRows final : public Dataset {
 public:
  enum class Pixels { left, written };
  using Wait = std::function<std::chrono::nanoseconds(std::size_t index)>;

  ImageRows(std::size_t size, Pixels pixels, Wait wait = nullptr)
      : size_(size), pixels_(pixels), wait_(std::move(wait)) {}

  std::size_t size() const override { return size_; }
  const Schema& schema() const override { return schema_; }
  void get(std::size_t index, Rng&, SampleWriter& out) const override {
    if (wait_) std::this_thread::sleep_for(wait_(index));
    const auto image = out.bytes(0);
    if (pixels_ == Pixels::written) std::memset(image.data(), static_cast<int>(index & 0xff), image.size());
    out.set(1, static_cast<std::int64_t>(index));
  }

 private:
  std::size_t size_;
  Pixels pixels_;
  Wait wait_;
  Schema schema_{{{"image", DType::u8, {kSide, kSide, kChannels}}, {"label", DType::i64, {}}}};
};

}  // namespace leat::bench
