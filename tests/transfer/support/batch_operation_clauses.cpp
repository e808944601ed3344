#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/transfer/support/device_array.h"
#include "tests/transfer/support/device_contract.h"

namespace leat::test {
namespace {

constexpr int kCases = 300;
constexpr std::size_t kMany = 1'100'000;  // more items than a grid has threads

using Bytes = std::vector<std::byte>;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  Bytes bytes(std::size_t count) {
    Bytes bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine_());
    return bytes;
  }

 private:
  std::mt19937 engine_;
};

// --- Padding.

struct PadCase {
  PadRagged pad;  // without its operands
  std::vector<std::int64_t> offsets;
  Bytes values;
  std::size_t skip = 0;
};

struct Padded {
  Bytes dense;
  std::vector<std::uint8_t> mask;
  std::vector<std::int64_t> lengths;
};

FillValue fill_of(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return std::uint8_t{0xf1};
    case DType::bf16:
      return static_cast<BFloat16>(0x3f81);
    case DType::f32:
      return 1.25F;
    default:
      return std::int64_t{-100};
  }
}

// One byte after the other.
Padded reference(const PadCase& of) {
  Padded padded;
  const PadRagged& pad = of.pad;
  const std::size_t size = size_of(pad.dtype);
  const std::size_t step = pad.values_per_element * size;
  for (std::size_t row = 0; row < pad.rows; ++row) {
    const std::int64_t begin = of.offsets[row], end = of.offsets[row + 1];
    const bool is_within = begin >= 0 && begin <= end && end <= static_cast<std::int64_t>(pad.elements);
    std::int64_t copied = is_within ? end - begin : -1;
    if (copied > static_cast<std::int64_t>(pad.length))
      copied = pad.truncate ? static_cast<std::int64_t>(pad.length) : -1;
    padded.lengths.push_back(copied);
    for (std::size_t i = 0; i < pad.length; ++i) {
      const bool is_real = static_cast<std::int64_t>(i) < copied;
      padded.mask.push_back(is_real ? 1 : 0);
      for (std::size_t byte = 0; byte < step; ++byte) {
        padded.dense.push_back(is_real ? of.values[(static_cast<std::size_t>(begin) + i) * step + byte]
                                       : pad.fill.bytes()[byte % size]);
      }
    }
  }
  return padded;
}

PadCase random_pad(Random& random) {
  PadCase made;
  PadRagged& pad = made.pad;
  pad.dtype = random.of<DType>({DType::u8, DType::bf16, DType::f32, DType::i64});
  pad.rows = random.below(9);
  pad.length = random.one_in(2) ? 16 * random.below(4) : random.below(30);
  pad.values_per_element = 1 + random.below(3);
  pad.truncate = random.one_in(2);
  if (!random.one_in(4)) pad.fill = fill_of(pad.dtype);
  made.offsets = {0};
  for (std::size_t row = 0; row < pad.rows; ++row) {
    const std::size_t most = random.one_in(6) ? pad.length + 9 : pad.length;
    made.offsets.push_back(made.offsets.back() + static_cast<std::int64_t>(random.below(most + 1)));
  }
  pad.elements = static_cast<std::size_t>(made.offsets.back());
  made.values = random.bytes(pad.elements * pad.values_per_element * size_of(pad.dtype));
  if (random.one_in(8)) {
    const std::int64_t wrong[] = {-1, made.offsets.back() + 1, std::numeric_limits<std::int64_t>::max(),
                                  std::numeric_limits<std::int64_t>::min()};
    made.offsets[random.below(made.offsets.size())] = wrong[random.below(4)];
  }
  made.skip = random.one_in(2) ? 0 : random.below(16);
  return made;
}

void check_pad(const Stream& stream, const PadCase& of) {
  PadRagged pad = of.pad;
  const Padded expected = reference(of);
  const std::size_t skip = of.skip * size_of(pad.dtype);
  const DeviceArray values(stream, of.values, skip);
  const DeviceArray offsets(stream, of.offsets, of.skip % 3);
  const DeviceArray dense(stream, Bytes(expected.dense.size(), std::byte{7}), skip);
  const DeviceArray mask(stream, std::vector<std::uint8_t>(expected.mask.size(), 7), of.skip);
  const DeviceArray lengths(stream, std::vector<std::int64_t>(pad.rows, 7), of.skip % 2);
  pad.to = dense.data();
  pad.values = values.data();
  pad.offsets = offsets.data();
  const bool has_extras = of.skip != 1;
  if (has_extras) {
    pad.mask = mask.data();
    pad.lengths = lengths.data();
  }
  stream.ref().device().apply(pad, stream);
  CHECK(are_same_bits(dense.values(), expected.dense));
  CHECK(mask.values() == (has_extras ? expected.mask : std::vector<std::uint8_t>(expected.mask.size(), 7)));
  CHECK(lengths.values() == (has_extras ? expected.lengths : std::vector<std::int64_t>(pad.rows, 7)));
}

void pads_ragged_rows(Device& device) {
  const Stream stream = device.make_stream();
  Random random(11);
  for (int i = 0; i < kCases; ++i) {
    const PadCase made = random_pad(random);
    INFO("seed 11, case " << i << ": " << made.pad.rows << " rows of " << made.pad.length << " x "
                          << made.pad.values_per_element << " " << name_of(made.pad.dtype) << ", skip "
                          << made.skip);
    check_pad(stream, made);
  }
}

void pads_many_rows(Device& device) {
  PadCase many;
  many.pad.dtype = DType::u8;
  many.pad.rows = kMany;
  many.pad.length = 1;
  for (std::size_t row = 0; row <= kMany; ++row)
    many.offsets.push_back(static_cast<std::int64_t>((row + 1) / 2));
  many.pad.elements = static_cast<std::size_t>(many.offsets.back());
  many.values = byte_ramp(many.pad.elements, 3, 7);
  many.skip = 3;
  check_pad(device.make_stream(), many);
}

void refuses_wrong_padding(Device& device) {
  const Stream stream = device.make_stream();
  const DeviceArray memory(stream, std::vector<std::int64_t>(64));
  const PadRagged right{.to = memory.data(),
                        .values = memory.data() + 16,
                        .offsets = memory.data() + 32,
                        .rows = 2,
                        .length = 4,
                        .elements = 8};
  right.check();
  const auto refuse = [&](auto change, std::initializer_list<std::string_view> fragments) {
    PadRagged wrong = right;
    change(wrong);
    expect_error<ArgumentError>([&] { device.apply(wrong, stream); }, fragments);
  };
  refuse([](PadRagged& pad) { pad.fill = std::int32_t{0}; }, {"PadRagged", "i32", "i64"});
  refuse([](PadRagged& pad) { pad.to = nullptr; }, {"to is null"});
  refuse([](PadRagged& pad) { pad.values = nullptr; }, {"values is null"});
  refuse([](PadRagged& pad) { pad.offsets = nullptr; }, {"offsets is null"});
  refuse([](PadRagged& pad) { pad.values = static_cast<const std::byte*>(pad.values) + 4; },
         {"values", "aligned", "8 bytes"});
  refuse([](PadRagged& pad) { pad.length = 9; }, {"to and values overlap"});
  refuse([](PadRagged& pad) { pad.lengths = static_cast<std::int64_t*>(pad.to) + 33; },
         {"lengths and offsets overlap"});
  refuse([](PadRagged& pad) { pad.length = std::size_t{1} << 63; }, {"64 bits"});
}

// --- Widening.

template <class T>
void check_widening(const Stream& stream, const std::vector<T>& from, std::size_t skip) {
  std::vector<std::int64_t> expected;
  for (const T value : from) expected.push_back(static_cast<std::int64_t>(value));
  const DeviceArray source(stream, from, skip);
  const DeviceArray to(stream, std::vector<std::int64_t>(from.size(), 7), skip / 2);
  stream.ref().device().apply(
      Widen{.to = to.data(), .from = source.data(), .dtype = dtype_of<T>, .count = from.size()}, stream);
  CHECK(to.values() == expected);
}

template <class T>
std::vector<T> random_integers(Random& random, std::size_t count) {
  const Bytes bytes = random.bytes(count * sizeof(T));
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void widens_integers(Device& device) {
  const Stream stream = device.make_stream();
  Random random(12);
  for (int i = 0; i < kCases / 4; ++i) {
    const std::size_t count = random.one_in(9) ? random.below(700) : random.below(20);
    const std::size_t skip = random.below(4);
    INFO("seed 12, case " << i << ": " << count << " values, skip " << skip);
    check_widening(stream, random_integers<std::uint8_t>(random, count), skip);
    check_widening(stream, random_integers<std::uint16_t>(random, count), skip);
    check_widening(stream, random_integers<std::uint32_t>(random, count), skip);
    check_widening(stream, random_integers<std::int32_t>(random, count), skip);
  }
  check_widening(stream, random_integers<std::uint8_t>(random, kMany), 1);
  check_widening(stream, random_integers<std::uint16_t>(random, 2 * kMany + 1), 0);
}

void refuses_wrong_widening(Device& device) {
  const Stream stream = device.make_stream();
  const DeviceArray memory(stream, std::vector<std::int64_t>(8));
  const Widen right{.to = memory.data(), .from = memory.data() + 4, .count = 4};
  right.check();
  const auto refuse = [&](auto change, std::initializer_list<std::string_view> fragments) {
    Widen wrong = right;
    change(wrong);
    expect_error<ArgumentError>([&] { device.apply(wrong, stream); }, fragments);
  };
  refuse([](Widen& widen) { widen.dtype = DType::f32; }, {"Widen takes u8, u16, u32, i32, not f32"});
  refuse([](Widen& widen) { widen.from = widen.to; }, {"to and from overlap"});
  refuse([](Widen& widen) { widen.to = nullptr; }, {"to is null"});
  refuse([](Widen& widen) { widen.from = reinterpret_cast<const std::byte*>(widen.to + 4) + 2; },
         {"from", "aligned", "4 bytes"});
}

// --- Targets.

template <class T>
std::vector<float> reference(const std::vector<T>& labels, std::size_t classes, double smoothing) {
  std::vector<float> targets;
  const double rest = smoothing / static_cast<double>(classes);
  for (const T label : labels) {
    const auto number = static_cast<std::int64_t>(label);
    const bool is_class = number >= 0 && number < static_cast<std::int64_t>(classes);
    for (std::size_t c = 0; c < classes; ++c) {
      const bool is_own = number == static_cast<std::int64_t>(c);
      const double target = is_own ? 1 - smoothing + rest : rest;
      targets.push_back(is_class ? static_cast<float>(target) : std::numeric_limits<float>::quiet_NaN());
    }
  }
  return targets;
}

template <class T>
std::vector<float> targets_of(const Stream& stream, const std::vector<T>& labels, std::size_t classes,
                              double smoothing, std::size_t skip) {
  const DeviceArray source(stream, labels, skip);
  const DeviceArray to(stream, std::vector<float>(labels.size() * classes, 7), skip);
  stream.ref().device().apply(OneHot{.to = to.data(),
                                     .labels = source.data(),
                                     .dtype = dtype_of<T>,
                                     .rows = labels.size(),
                                     .classes = classes,
                                     .smoothing = smoothing},
                              stream);
  return to.values();
}

template <class T>
void check_targets(const Stream& stream, Random& random, std::size_t rows, std::size_t skip) {
  const std::size_t classes = 1 + (random.one_in(9) ? random.below(1500) : random.below(12));
  const double smoothing = random.of<double>({0, 0.1, 0.25, 0.999});
  std::vector<T> labels = random_integers<T>(random, rows);
  for (T& label : labels) {
    if (!random.one_in(5)) label = static_cast<T>(random.below(classes));
  }
  if (rows > 0 && random.one_in(3)) labels[random.below(rows)] = static_cast<T>(-1);
  INFO(rows << " rows of " << classes << " classes, " << name_of(dtype_of<T>) << ", skip " << skip);
  CHECK(are_same_bits(targets_of(stream, labels, classes, smoothing, skip),
                      reference(labels, classes, smoothing)));
}

void makes_targets(Device& device) {
  const Stream stream = device.make_stream();
  Random random(13);
  for (int i = 0; i < kCases / 4; ++i) {
    INFO("seed 13, case " << i);
    check_targets<std::uint8_t>(stream, random, random.below(9), random.below(5));
    check_targets<std::uint16_t>(stream, random, random.below(9), random.below(5));
    check_targets<std::int32_t>(stream, random, random.below(9), random.below(5));
    check_targets<std::int64_t>(stream, random, random.below(9), random.below(5));
  }
}

void makes_many_targets(Device& device) {
  const Stream stream = device.make_stream();
  const std::vector<std::uint8_t> labels(kMany, 0);
  CHECK(targets_of(stream, labels, 1, 0.5, 1) == std::vector<float>(kMany, 1.0F));
}

void rows_of_targets_sum_to_1(Device& device) {
  const Stream stream = device.make_stream();
  for (const std::size_t classes : {1, 2, 10, 1000}) {
    const std::vector<std::int64_t> labels{0, static_cast<std::int64_t>(classes) - 1};
    const std::vector<float> targets = targets_of(stream, labels, classes, 0.1, 0);
    for (std::size_t row = 0; row < labels.size(); ++row) {
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c) sum += static_cast<double>(targets[row * classes + c]);
      CHECK(std::abs(sum - 1) < 1e-6);
    }
  }
}

void refuses_wrong_targets(Device& device) {
  const Stream stream = device.make_stream();
  const DeviceArray memory(stream, std::vector<std::int64_t>(16));
  auto* const to = reinterpret_cast<float*>(memory.data());
  const OneHot right{.to = to, .labels = memory.data() + 8, .rows = 4, .classes = 4};
  right.check();
  const auto refuse = [&](auto change, std::initializer_list<std::string_view> fragments) {
    OneHot wrong = right;
    change(wrong);
    expect_error<ArgumentError>([&] { device.apply(wrong, stream); }, fragments);
  };
  refuse([](OneHot& one_hot) { one_hot.dtype = DType::u32; }, {"OneHot takes", "not u32"});
  refuse([](OneHot& one_hot) { one_hot.classes = 0; }, {"0 classes"});
  refuse([](OneHot& one_hot) { one_hot.smoothing = 1; }, {"smoothing is 1"});
  refuse([](OneHot& one_hot) { one_hot.smoothing = -0.5; }, {"smoothing is -0.5"});
  refuse([](OneHot& one_hot) { one_hot.smoothing = std::nan(""); }, {"smoothing is nan"});
  refuse([](OneHot& one_hot) { one_hot.classes = 5; }, {"to and labels overlap"});
}

}  // namespace

std::vector<Clause> batch_operation_clauses() {
  return {{"padding gives the bits of its definition", pads_ragged_rows},
          {"padding takes many rows", pads_many_rows},
          {"padding refuses what it cannot do", refuses_wrong_padding},
          {"widening gives the same numbers", widens_integers},
          {"widening refuses what it cannot do", refuses_wrong_widening},
          {"targets have the bits of their definition", makes_targets},
          {"targets of many rows", makes_many_targets},
          {"rows of targets sum to 1", rows_of_targets_sum_to_1},
          {"targets refuse what cannot be done", refuses_wrong_targets}};
}

}  // namespace leat::test
