#include "tests/parallel/support/communicator_contract.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <span>
#include <utility>

#include "tests/parallel/support/device_values.h"
#include "tests/parallel/support/on_all.h"

namespace leat::test::contract {
namespace {

template <class T>
void sums_of(Communicator& communicator, StreamRef stream, std::size_t count) {
  const int n = communicator.size();
  const int ranks_sum = n * (n + 1) / 2;
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(static_cast<T>(i % 100) * static_cast<T>(communicator.rank() + 1));
  }
  DeviceValues<T> sums(stream, std::move(values));
  communicator.all_reduce(sums.span(), ReduceOp::sum, stream);
  const std::vector<T>& actual = sums.read(stream);
  for (std::size_t i = 0; i < count; ++i) {
    const T wanted = static_cast<T>(static_cast<T>(i % 100) * static_cast<T>(ranks_sum));
    expect_equal(actual[i], wanted, fmt::format("element {} of {}, {} ranks", i, count, n));
  }
}

template <class T, class Narrow>
void rounded_once(Communicator& communicator, StreamRef stream, Narrow narrow) {
  // 1 + small + small + ...: rounding after each addition would lose every small one.
  const float small = std::is_same_v<T, Half> ? 0x1p-11F : 0x1p-8F;
  DeviceValues<T> sums(stream, std::vector<T>(1000, narrow(communicator.rank() == 0 ? 1.0F : small)));
  communicator.all_reduce(sums.span(), ReduceOp::sum, stream);
  const float wanted = to_float(narrow(1.0F + small * static_cast<float>(communicator.size() - 1)));
  for (const T value : sums.read(stream)) expect_equal(to_float(value), wanted, "a sum of 16-bit numbers");
}

// Rank r brings 2^(r + 1) - 1 times the number of ranks, and more of it in each element.
template <class T, class Narrow>
void averages_of(Communicator& communicator, StreamRef stream, std::size_t count, Narrow narrow) {
  const int n = communicator.size();
  const auto value_of = [&](int rank, std::size_t i) { return static_cast<int>(i % 8) + (2 << rank) - 1; };
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = narrow(static_cast<float>(n * value_of(communicator.rank(), i)));
  DeviceValues<T> averages(stream, std::move(values));
  communicator.all_reduce(averages.span(), ReduceOp::average, stream);
  const std::vector<T>& actual = averages.read(stream);
  for (std::size_t i = 0; i < count; ++i) {
    int sum = 0;
    for (int rank = 0; rank < n; ++rank) sum += value_of(rank, i);
    expect(actual[i] == narrow(static_cast<float>(sum)),
           fmt::format("average {} of {}, {} ranks", i, count, n));
  }
}

template <class T, class Narrow>
void average_rounded_once(Communicator& communicator, StreamRef stream, Narrow narrow) {
  // The sum, 1 + small + small + ..., has more bits than T, and so has its quotient.
  const int n = communicator.size();
  const float small = std::is_same_v<T, Half> ? 0x1p-11F : 0x1p-8F;
  DeviceValues<T> averages(stream, std::vector<T>(1000, narrow(communicator.rank() == 0 ? 1.0F : small)));
  communicator.all_reduce(averages.span(), ReduceOp::average, stream);
  const float sum = 1.0F + small * static_cast<float>(n - 1);
  const float wanted = to_float(narrow(sum / static_cast<float>(n)));
  for (const T value : averages.read(stream))
    expect_equal(to_float(value), wanted, "an average of 16-bit numbers");
}

template <class T, class Narrow>
void scatter_as_all_reduce(Communicator& communicator, StreamRef stream, std::size_t part, ReduceOp op,
                           Narrow narrow) {
  const auto rank = static_cast<std::size_t>(communicator.rank());
  std::mt19937 random(static_cast<unsigned>(rank + 1));
  std::uniform_real_distribution<float> uniform(-1000, 1000);
  std::vector<T> values(part * static_cast<std::size_t>(communicator.size()));
  for (T& value : values) value = narrow(uniform(random));
  DeviceValues<T> whole(stream, values), from(stream, values), in_place(stream, values);
  DeviceValues<T> to(stream, std::vector<T>(part));
  communicator.all_reduce(whole.span(), op, stream);
  communicator.reduce_scatter(from.span(), to.span(), op, stream);
  communicator.reduce_scatter(in_place.span(), in_place.part(rank * part, part), op, stream);
  const auto bytes_of = [](std::span<const T> elements) { return std::as_bytes(elements); };
  const auto wanted = bytes_of(std::span<const T>(whole.read(stream)).subspan(rank * part, part));
  const auto what = fmt::format("{} elements of {} bytes for each rank", part, sizeof(T));
  expect(std::ranges::equal(bytes_of(to.read(stream)), wanted), "the part of all_reduce, " + what);
  expect(from.read(stream) == values, "what is read to stay, " + what);
  std::copy_n(whole.read(stream).begin() + static_cast<std::ptrdiff_t>(rank * part), part,
              values.begin() + static_cast<std::ptrdiff_t>(rank * part));
  expect(std::ranges::equal(bytes_of(in_place.read(stream)), bytes_of(values)), "the same in place, " + what);
}

}  // namespace

void sums_are_exact(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    for (const std::size_t count : {0, 1, 3, 64, 1000, 65'537, 300'001}) {
      sums_of<float>(communicator, stream, count);
      sums_of<double>(communicator, stream, count);
      sums_of<std::int32_t>(communicator, stream, count);
      sums_of<std::int64_t>(communicator, stream, count);
    }
  });
}

void sixteen_bit_sums_are_rounded_once(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    rounded_once<Half>(communicator, stream, to_half);
    rounded_once<BFloat16>(communicator, stream, to_bfloat16);
  });
}

void maxima(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    std::vector<float> values(1000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool mine =
          i % static_cast<std::size_t>(communicator.size()) == static_cast<std::size_t>(communicator.rank());
      values[i] = mine ? static_cast<float>(i) : -1.0F;
    }
    DeviceValues<float> maxima(stream, std::move(values));
    communicator.all_reduce(maxima.span(), ReduceOp::max, stream);
    const std::vector<float>& actual = maxima.read(stream);
    for (std::size_t i = 0; i < actual.size(); ++i)
      expect_equal(actual[i], static_cast<float>(i), "a maximum");
  });
}

void averages_are_exact(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    for (const std::size_t count : {0, 1, 3, 65, 1000, 70'001}) {
      averages_of<float>(communicator, stream, count, [](float value) { return value; });
      averages_of<double>(communicator, stream, count, [](float value) { return double{value}; });
      averages_of<Half>(communicator, stream, count, to_half);
      averages_of<BFloat16>(communicator, stream, count, to_bfloat16);
    }
  });
}

void sixteen_bit_averages_are_rounded_once(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    average_rounded_once<Half>(communicator, stream, to_half);
    average_rounded_once<BFloat16>(communicator, stream, to_bfloat16);
  });
}

void all_ranks_hold_the_same_bits(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    constexpr std::size_t kCount = 100'003;
    std::mt19937 random(static_cast<unsigned>(communicator.rank() + 1));
    std::normal_distribution<float> normal;
    std::vector<float> values(kCount);
    for (float& value : values) value = normal(random);
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::average}) {
      DeviceValues<float> reduced(stream, values);
      DeviceValues<float> all(stream,
                              std::vector<float>(kCount * static_cast<std::size_t>(communicator.size())));
      communicator.all_reduce(reduced.span(), op, stream);
      communicator.all_gather(reduced.span(), all.span(), stream);
      const std::span<const float> gathered = all.read(stream), own = reduced.read(stream);
      for (std::size_t at = 0; at < gathered.size(); at += kCount) {
        expect(same_bits(gathered.subspan(at, kCount), own), "the same bits on all ranks");
      }
    }
  });
}

void reduce_scatter_is_a_part_of_all_reduce(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    const auto same = [](float value) { return value; };
    const auto to_integer = [](float value) { return static_cast<std::int64_t>(value); };
    for (const std::size_t part : {0, 1, 100, 1000, 50'021}) {
      for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::average}) {
        scatter_as_all_reduce<float>(communicator, stream, part, op, same);
        scatter_as_all_reduce<BFloat16>(communicator, stream, part, op, to_bfloat16);
      }
      scatter_as_all_reduce<double>(communicator, stream, part, ReduceOp::average, same);
      scatter_as_all_reduce<Half>(communicator, stream, part, ReduceOp::sum, to_half);
      scatter_as_all_reduce<std::int64_t>(communicator, stream, part, ReduceOp::sum, to_integer);
    }
  });
}

void broadcast_from_every_root(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    for (int root = 0; root < communicator.size(); ++root) {
      DeviceValues<std::uint8_t> values(
          stream, std::vector<std::uint8_t>(10'001, static_cast<std::uint8_t>(communicator.rank() + 1)));
      communicator.broadcast(values.span(), root, stream);
      for (const std::uint8_t value : values.read(stream)) expect_equal(value, root + 1, "a broadcast value");
    }
  });
}

void gather_in_rank_order(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    constexpr std::size_t kCount = 1001;
    const auto rank = static_cast<std::size_t>(communicator.rank());
    const std::size_t total = kCount * static_cast<std::size_t>(communicator.size());
    const std::vector<std::int32_t> own(kCount, communicator.rank() * 7);
    const DeviceValues<std::int32_t> mine(stream, own);
    DeviceValues<std::int32_t> all(stream, std::vector<std::int32_t>(total, -1));
    communicator.all_gather(mine.span(), all.span(), stream);
    std::vector<std::int32_t> with_own(total, -1);
    std::ranges::copy(own, with_own.begin() + static_cast<std::ptrdiff_t>(rank * kCount));
    DeviceValues<std::int32_t> in_place(stream, std::move(with_own));
    communicator.all_gather(in_place.part(rank * kCount, kCount), in_place.span(), stream);
    const std::vector<std::int32_t>& gathered = all.read(stream);
    for (std::size_t i = 0; i < total; ++i) {
      expect_equal(gathered[i], static_cast<std::int32_t>(i / kCount) * 7, "a gathered value");
    }
    expect(gathered == in_place.read(stream), "the same values where the gather is in place");
  });
}

void barrier_separates(const GroupMaker& make, int ranks) {
  const Group group = make(ranks, kPatience);
  std::atomic<int> here = 0;
  run_ranks(ranks, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    for (int round = 1; round <= 50; ++round) {
      ++here;
      communicator.barrier();
      expect(here >= round * ranks, "all ranks to have arrived");
      communicator.barrier();
    }
  });
}

void calls_keep_their_order_across_streams(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef first) {
    const Stream second = communicator.device().make_stream();
    constexpr int kCalls = 40;
    const auto stream_of = [&](int call) { return call % 2 == 0 ? first : second.ref(); };
    std::vector<DeviceValues<std::int64_t>> values;  // made first, since this waits for the stream
    values.reserve(kCalls);
    for (int i = 0; i < kCalls; ++i) {
      const std::vector<std::int64_t> own(100 + static_cast<std::size_t>(i), i + communicator.rank());
      values.emplace_back(stream_of(i), own);
    }
    for (int i = 0; i < kCalls; ++i)
      communicator.all_reduce(values[static_cast<std::size_t>(i)].span(), ReduceOp::sum, stream_of(i));
    communicator.barrier();
    const int n = communicator.size();
    for (int i = 0; i < kCalls; ++i) {
      for (const std::int64_t value : values[static_cast<std::size_t>(i)].read(stream_of(i))) {
        expect_equal(value, i * n + n * (n - 1) / 2, "a sum of call " + std::to_string(i));
      }
    }
  });
}

void bad_arguments_are_refused(const GroupMaker& make) {
  on_all(make, 1, [](Communicator& communicator, StreamRef stream) {
    const auto refused = [](const std::string& fragment, const std::function<void()>& call) {
      try {
        call();
      } catch (const ArgumentError& error) {
        expect(std::string(error.what()).find(fragment) != std::string::npos,
               fmt::format("\"{}\" in \"{}\"", fragment, error.what()));
        return;
      }
      throw std::runtime_error("not refused: " + fragment);
    };
    const DeviceValues<float> floats(stream, std::vector<float>(4));
    const DeviceValues<std::uint8_t> small(stream, std::vector<std::uint8_t>(4));
    const TensorSpan four = floats.span(), bytes = small.span();
    refused("not u8", [&] { communicator.all_reduce(bytes, ReduceOp::sum, stream); });
    const DeviceValues<std::int32_t> integers(stream, std::vector<std::int32_t>(4));
    refused("an average takes f32, f64, f16 and bf16, not i32",
            [&] { communicator.all_reduce(integers.span(), ReduceOp::average, stream); });
    refused("no memory", [&] { communicator.all_reduce({nullptr, 4, DType::f32}, ReduceOp::sum, stream); });
    refused("takes 4 f32, but got 4 u8",
            [&] { communicator.reduce_scatter(bytes, four, ReduceOp::sum, stream); });
    refused("takes 3 f32, but got 4 f32",
            [&] { communicator.reduce_scatter(four, floats.part(0, 3), ReduceOp::sum, stream); });
    refused("not u8", [&] { communicator.reduce_scatter(bytes, bytes, ReduceOp::sum, stream); });
    refused("overlaps what it reads", [&] {
      communicator.reduce_scatter(floats.part(0, 3), floats.part(1, 3), ReduceOp::sum, stream);
    });
    refused("root 1", [&] { communicator.broadcast(four, 1, stream); });
    refused("root -1", [&] { communicator.broadcast(four, -1, stream); });
    refused("needs room for 4 f32", [&] { communicator.all_gather(four, bytes, stream); });
    refused("send to rank 0 itself", [&] { communicator.send(four, 0, stream); });
    refused("send to rank 1, which is no rank of 1", [&] { communicator.send(four, 1, stream); });
    refused("recv from rank 0 itself", [&] { communicator.recv(four, 0, stream); });
    refused("recv from rank -1", [&] { communicator.recv(four, -1, stream); });
    refused("no memory", [&] { communicator.send({nullptr, 4, DType::f32}, 1, stream); });
    communicator.all_reduce(four, ReduceOp::sum, stream);  // and still works
    stream.synchronize();
  });
}

void abort_wakes_everybody(const GroupMaker& make, int ranks) {
  const Group group = make(ranks, kPatience);
  const auto errors = errors_of_ranks(ranks, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    communicator.barrier();
    if (rank == ranks - 1) {
      communicator.abort("the disk is full");
      communicator.barrier();  // the own communicator is dead too
    }
    const Stream stream = communicator.device().make_stream();
    const DeviceValues<float> values(stream, std::vector<float>(1000));
    communicator.all_reduce(values.span(), ReduceOp::sum, stream);
    stream.ref().synchronize();
  });
  for (const std::string& error : errors) {
    expect(error.find("the disk is full") != std::string::npos,
           "the reason on every rank, not \"" + error + "\"");
  }
}

}  // namespace leat::test::contract
