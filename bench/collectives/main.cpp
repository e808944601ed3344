// leat-collectives: compares all-reduces within a host with a bare loop over shared memory.
#include <fmt/format.h>
#include <sys/mman.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/collectives/bare_reduce.h"
#include "bench/figure.h"
#include "leat/datasets/base/unique_fd.h"
#include "leat/loader/os/child_process.h"
#include "leat/parallel/local_group.h"
#include "leat/parallel/shared_memory_communicator.h"
#include "leat/parallel/store/tcp_socket.h"
#include "tools/common/command_line.h"

namespace {

using namespace leat;
using namespace leat::bench;

constexpr std::size_t kLarge = std::size_t{25'000'000} / 64 * 64;
constexpr std::size_t kSmall = 1024;
constexpr int kSpins = 20'000;

struct Settings {
  int rounds = 21;
  std::size_t small_calls = 500;
  std::size_t large_calls = 5;
};

struct Case {
  const char* name;
  std::size_t bytes;
  DType dtype;
};
constexpr std::array<Case, 4> kCases{{{"1 KB f32", kSmall, DType::f32},
                                      {"1 KB bf16", kSmall, DType::bf16},
                                      {"25 MB f32", kLarge, DType::f32},
                                      {"25 MB bf16", kLarge, DType::bf16}}};

std::size_t count_of(const Case& c) {
  return c.bytes / size_of(c.dtype);
}

// Memory that both ranks of the bare loop see, threads or processes, and their barriers.
struct BareMemory {
  BareBarrier sleeping{0};
  BareBarrier spinning{kSpins};
  alignas(4096) std::byte first[kLarge];
  alignas(4096) std::byte second[kLarge];
};

class SharedBareMemory {
 public:
  SharedBareMemory()
      : memory_(::mmap(nullptr, sizeof(BareMemory), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {
    if (memory_ == MAP_FAILED) throw_errno("mmap for the bare loop");
    new (memory_) BareMemory;
  }
  ~SharedBareMemory() { ::munmap(memory_, sizeof(BareMemory)); }
  SharedBareMemory(const SharedBareMemory&) = delete;
  SharedBareMemory& operator=(const SharedBareMemory&) = delete;
  BareMemory& get() const { return *static_cast<BareMemory*>(memory_); }

 private:
  void* memory_;
};

void fill(void* memory, std::size_t count, DType dtype, float value) {
  for (std::size_t i = 0; i < count; ++i) {
    if (dtype == DType::f32) static_cast<float*>(memory)[i] = value;
    if (dtype == DType::bf16) static_cast<BFloat16*>(memory)[i] = to_bfloat16(value);
  }
}

void check(const void* memory, std::size_t count, DType dtype, float value) {
  for (std::size_t i = 0; i < count; ++i) {
    const float found = dtype == DType::f32 ? static_cast<const float*>(memory)[i]
                                            : to_float(static_cast<const BFloat16*>(memory)[i]);
    if (found != value) throw std::runtime_error(fmt::format("element {} is {}, not {}", i, found, value));
  }
}

// Microseconds of one call, of each way to sum; one value for each round.
struct Times {
  std::vector<double> sleeping, spinning, leat, waiting;
};

// One rank's measurement. Both ranks do the same, in step.
class Measurement {
 public:
  Measurement(Communicator& communicator, BareMemory& bare, int rank)
      : communicator_(communicator),
        bare_(bare),
        rank_(rank),
        stream_(communicator.device().make_stream()),
        memory_(communicator.allocate(kLarge)) {}

  Times run(const Case& c, const Settings& settings) {
    Times times;
    const std::size_t calls = c.bytes == kLarge ? settings.large_calls : settings.small_calls;
    const std::vector<std::pair<std::vector<double>*, std::function<void()>>> ways{
        {&times.sleeping, [&] { bare_reduce(bare_.sleeping, c); }},
        {&times.spinning, [&] { bare_reduce(bare_.spinning, c); }},
        {&times.leat,
         [&] {
           enqueue(c);
           stream_.ref().synchronize();
         }},
        {&times.waiting, [&] {
           host_device().enqueue(stream_, [] {});
           stream_.ref().synchronize();
         }}};
    verify(c);
    for (int round = -1; round < settings.rounds; ++round) {
      for (std::size_t i = 0; i < ways.size(); ++i) {
        const auto& [values, call] = ways[(i + static_cast<std::size_t>(round + 1)) % ways.size()];
        fill_all(c, 0);  // sums that stay zero: neither slower denormal numbers nor infinity
        bare_.sleeping.wait();
        const double ms = milliseconds_of([&] {
          for (std::size_t n = 0; n < calls; ++n) call();
        });
        if (round >= 0) values->push_back(ms * 1000 / static_cast<double>(calls));
      }
    }
    return times;
  }

 private:
  void enqueue(const Case& c) {
    communicator_.all_reduce({memory_.data(), count_of(c), c.dtype}, ReduceOp::sum, stream_);
  }
  void bare_reduce(BareBarrier& barrier, const Case& c) {
    bare_all_reduce(barrier, rank_, bare_.first, bare_.second, count_of(c), c.dtype);
  }
  void* bare_own() { return rank_ == 0 ? bare_.first : bare_.second; }
  void fill_all(const Case& c, float value) {
    fill(bare_own(), count_of(c), c.dtype, value);
    fill(memory_.data(), count_of(c), c.dtype, value);
  }
  void verify(const Case& c) {
    fill_all(c, static_cast<float>(rank_ + 1));
    bare_reduce(bare_.sleeping, c);
    enqueue(c);
    stream_.ref().synchronize();
    check(bare_own(), count_of(c), c.dtype, 3);
    check(memory_.data(), count_of(c), c.dtype, 3);
  }

  Communicator& communicator_;
  BareMemory& bare_;
  const int rank_;
  Stream stream_;
  CommunicationBuffer memory_;
};

void print(const char* engine, const Case& c, const Times& times) {
  std::vector<double> to_sleeping, to_spinning;
  for (std::size_t i = 0; i < times.leat.size(); ++i) {
    to_sleeping.push_back(times.leat[i] / times.sleeping[i]);
    to_spinning.push_back(times.leat[i] / times.spinning[i]);
  }
  fmt::print("{:<16}{:<12}{:>12.1f}{:>12.1f}{:>12.1f}{:>12.1f}{:>12.2f}{:>12.2f}\n", engine, c.name,
             median(times.sleeping), median(times.spinning), median(times.waiting), median(times.leat),
             median(to_sleeping), median(to_spinning));
  std::fflush(stdout);
}

void measure_threads(const Settings& settings) {
  const SharedBareMemory bare;
  const auto group = make_local_group(kRanks);
  const auto measure = [&](int rank) {
    Measurement measurement(*group[static_cast<std::size_t>(rank)], bare.get(), rank);
    for (const Case& c : kCases) {
      const Times times = measurement.run(c, settings);
      if (rank == 0) print("threads", c, times);
    }
  };
  std::thread other([&] { measure(1); });
  measure(0);
  other.join();
}

WorldSettings world_of(int rank, std::uint16_t port) {
  return {.rank = rank,
          .world_size = kRanks,
          .local_rank = rank,
          .master_address = "127.0.0.1",
          .master_port = port};
}

void measure_processes(const Settings& settings) {
  const SharedBareMemory bare;
  const std::uint16_t port = [] {
    const detail::UniqueFd listener = detail::listen_at("127.0.0.1", 0);
    return detail::local_port(listener.get());
  }();
  const auto measure = [&](int rank) {
    const auto communicator =
        make_shared_memory_communicator(std::make_shared<TcpStore>(world_of(rank, port)));
    Measurement measurement(*communicator, bare.get(), rank);
    for (const Case& c : kCases) {
      const Times times = measurement.run(c, settings);
      if (rank == 0) print("processes", c, times);
    }
  };
  detail::ChildProcess other = detail::ChildProcess::run([&] {
    measure(1);
    return 0;
  });
  measure(0);
  if (other.wait() != 0) throw std::runtime_error("the process of rank 1 failed");
}

leat::tools::ProgramText manual_text() {
  return {
      .summary = "compares all-reduces between two ranks of a host with a bare loop over shared memory",
      .description =
          "Two ranks sum 1 KB and 25 MB of f32 and bf16, as threads (make_local_group()) and as processes "
          "(make_shared_memory_communicator(), memory from allocate()). Prints the medians, over the rounds, "
          "of "
          "the microseconds of one call: of a bare loop whose ranks sleep while they wait for each other; of "
          "one "
          "whose ranks try for a while before they sleep; of handing an empty function to a stream and "
          "waiting "
          "for it; and of all_reduce() followed by synchronize(). The ratios are those of the last to the "
          "two "
          "bare loops. All take turns in each round, and the sums are checked.",
      .tables = {},
      .examples = {{"Everything", "leat-collectives"}},
      .see_also = {"leat-bench", "leat-transfer"}};
}

void run(int argc, char** argv) {
  Settings settings;
  CLI::App app("", "leat-collectives");
  app.add_option("--rounds", settings.rounds, "Rounds of each case")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  if (!leat::tools::read_command_line(app, manual_text(), argc, argv)) return;
  fmt::print("{:<16}{:<12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "microseconds", "", "bare sleep",
             "bare spin", "stream", "leat", "/sleep", "/spin");
  measure_processes(settings);  // first: it forks, and threads would make that harder
  measure_threads(settings);
}

}  // namespace

int main(int argc, char** argv) {
  return leat::tools::run_program("leat-collectives", [&] { run(argc, argv); });
}
