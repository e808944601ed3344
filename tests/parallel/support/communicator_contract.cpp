#include "tests/parallel/support/communicator_contract.h"

#include <atomic>
#include <random>

#include "tests/parallel/support/ranks.h"

namespace leat::test::contract {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 20s;  // no test waits for it to pass

void on_all(const GroupMaker& make, int ranks, const std::function<void(Communicator&, StreamRef)>& body) {
  const Group group = make(ranks, kPatience);
  run_ranks(ranks, [&](int rank) {
    Communicator& communicator = *group[static_cast<std::size_t>(rank)];
    expect_equal(communicator.rank(), rank, "rank()");
    expect_equal(communicator.size(), ranks, "size()");
    const Stream stream = communicator.device().make_stream();
    body(communicator, stream);
  });
}

template <class T>
TensorSpan flat(std::vector<T>& values) {
  return {.data = values.data(), .count = values.size(), .dtype = dtype_of<T>};
}

template <class T>
void sums_of(Communicator& communicator, StreamRef stream, std::size_t count) {
  const int n = communicator.size();
  const int ranks_sum = n * (n + 1) / 2;
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(static_cast<T>(i % 100) * static_cast<T>(communicator.rank() + 1));
  }
  communicator.all_reduce(flat(values), ReduceOp::sum, stream);
  stream.synchronize();
  for (std::size_t i = 0; i < count; ++i) {
    const T wanted = static_cast<T>(static_cast<T>(i % 100) * static_cast<T>(ranks_sum));
    expect_equal(values[i], wanted, fmt::format("element {} of {}, {} ranks", i, count, n));
  }
}

template <class T, class Narrow>
void rounded_once(Communicator& communicator, StreamRef stream, Narrow narrow) {
  // 1 + small + small + ...: rounding after each addition would lose every small one.
  const float small = std::is_same_v<T, Half> ? 0x1p-11F : 0x1p-8F;
  std::vector<T> values(1000, narrow(communicator.rank() == 0 ? 1.0F : small));
  communicator.all_reduce(flat(values), ReduceOp::sum, stream);
  stream.synchronize();
  const float wanted = to_float(narrow(1.0F + small * static_cast<float>(communicator.size() - 1)));
  for (const T value : values) expect_equal(to_float(value), wanted, "a sum of 16-bit numbers");
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
    communicator.all_reduce(flat(values), ReduceOp::max, stream);
    stream.synchronize();
    for (std::size_t i = 0; i < values.size(); ++i)
      expect_equal(values[i], static_cast<float>(i), "a maximum");
  });
}

void all_ranks_hold_the_same_bits(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    constexpr std::size_t kCount = 100'003;
    std::mt19937 random(static_cast<unsigned>(communicator.rank() + 1));
    std::normal_distribution<float> normal;
    std::vector<float> values(kCount);
    for (float& value : values) value = normal(random);
    communicator.all_reduce(flat(values), ReduceOp::sum, stream);
    std::vector<float> all(kCount * static_cast<std::size_t>(communicator.size()));
    communicator.all_gather(flat(values), flat(all), stream);
    stream.synchronize();
    for (std::size_t at = 0; at < all.size(); at += kCount) {
      expect(same_bits(std::span(all).subspan(at, kCount), values), "the same bits on all ranks");
    }
  });
}

void broadcast_from_every_root(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    for (int root = 0; root < communicator.size(); ++root) {
      std::vector<std::uint8_t> values(10'001, static_cast<std::uint8_t>(communicator.rank() + 1));
      communicator.broadcast(flat(values), root, stream);
      stream.synchronize();
      for (const std::uint8_t value : values) expect_equal(value, root + 1, "a broadcast value");
    }
  });
}

void gather_in_rank_order(const GroupMaker& make, int ranks) {
  on_all(make, ranks, [](Communicator& communicator, StreamRef stream) {
    constexpr std::size_t kCount = 1001;
    const auto rank = static_cast<std::size_t>(communicator.rank());
    std::vector<std::int32_t> mine(kCount, communicator.rank() * 7);
    std::vector<std::int32_t> all(kCount * static_cast<std::size_t>(communicator.size()), -1);
    communicator.all_gather(flat(mine), flat(all), stream);
    stream.synchronize();
    std::vector<std::int32_t> in_place(all.size(), -1);
    std::fill_n(in_place.begin() + static_cast<std::ptrdiff_t>(rank * kCount), kCount,
                communicator.rank() * 7);
    const TensorSpan part{.data = &in_place[rank * kCount], .count = kCount, .dtype = DType::i32};
    communicator.all_gather(part, flat(in_place), stream);
    stream.synchronize();
    for (std::size_t i = 0; i < all.size(); ++i) {
      expect_equal(all[i], static_cast<std::int32_t>(i / kCount) * 7, "a gathered value");
    }
    expect(all == in_place, "the same values where the gather is in place");
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
    std::vector<std::vector<std::int64_t>> values(kCalls);
    for (int i = 0; i < kCalls; ++i) {
      auto& value = values[static_cast<std::size_t>(i)];
      value.assign(100 + static_cast<std::size_t>(i), i + communicator.rank());
      communicator.all_reduce(flat(value), ReduceOp::sum, i % 2 == 0 ? first : second.ref());
    }
    communicator.barrier();
    first.synchronize();
    second.ref().synchronize();
    const int n = communicator.size();
    for (int i = 0; i < kCalls; ++i) {
      for (const std::int64_t value : values[static_cast<std::size_t>(i)]) {
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
    std::vector<float> four(4);
    std::vector<std::uint8_t> bytes(4);
    refused("not u8", [&] { communicator.all_reduce(flat(bytes), ReduceOp::sum, stream); });
    refused("no memory", [&] { communicator.all_reduce({nullptr, 4, DType::f32}, ReduceOp::sum, stream); });
    refused("root 1", [&] { communicator.broadcast(flat(four), 1, stream); });
    refused("root -1", [&] { communicator.broadcast(flat(four), -1, stream); });
    refused("needs room for 4 f32", [&] { communicator.all_gather(flat(four), flat(bytes), stream); });
    communicator.all_reduce(flat(four), ReduceOp::sum, stream);  // and still works
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
    std::vector<float> values(1000);
    communicator.all_reduce(flat(values), ReduceOp::sum, stream);
    stream.ref().synchronize();
  });
  for (const std::string& error : errors) {
    expect(error.find("the disk is full") != std::string::npos,
           "the reason on every rank, not \"" + error + "\"");
  }
}

}  // namespace leat::test::contract
