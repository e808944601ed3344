#include "leat/parallel/host/call_queue.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <thread>

#include "tests/parallel/support/error_kind.h"
#include "tests/parallel/support/ranks.h"

namespace leat::test {

using namespace leat::detail;

namespace {

using namespace std::chrono_literals;

// Does what the test wants for each call.
class ScriptedEngine final : public HostEngine {
 public:
  explicit ScriptedEngine(std::function<void(const CollectiveCall&)> script) : script_(std::move(script)) {}

  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 3; }
  std::string name() const override { return "scripted"; }
  void run(const CollectiveCall& call) override { script_(call); }
  void abort(const Failure& /*why*/) noexcept override {}

 private:
  std::function<void(const CollectiveCall&)> script_;
};

std::vector<CollectiveCall> entered(CallQueue& queue, const std::vector<CollectiveCall>& calls) {
  std::vector<CollectiveCall> all = calls;
  for (CollectiveCall& call : all) queue.enter(call);
  return all;
}

// Runs two calls on threads of their own; the second one comes when the first has begun. Returns their errors.
std::vector<std::string> run_behind(const std::function<void()>& first) {
  std::atomic<bool> begun{false};
  CallQueue queue(std::make_unique<ScriptedEngine>([&](const CollectiveCall& call) {
                    if (call.turn > 0) return;
                    begun = true;
                    begun.notify_all();
                    first();
                  }),
                  20ms);
  const auto calls = entered(queue, std::vector<CollectiveCall>(2));
  return errors_of_ranks(2, [&](int stream) {
    if (stream > 0) begun.wait(false);
    queue.run(calls[static_cast<std::size_t>(stream)]);
  });
}

TEST_CASE("calls wait for an earlier one that takes far longer than the timeout") {
  const auto errors = run_behind([] { std::this_thread::sleep_for(400ms); });
  CHECK(errors == std::vector<std::string>(2));
}

TEST_CASE("a call whose predecessor never begins fails after twice the timeout") {
  CallQueue queue(std::make_unique<ScriptedEngine>([](const CollectiveCall&) {}), 20ms);
  const auto calls = entered(queue, std::vector<CollectiveCall>(2));
  const std::string error = kind_of_error([&] { queue.run(calls[1]); });
  CHECK(error.find("barrier #1 waited 40 ms for an earlier call of this rank") != std::string::npos);
  CHECK(kind_of_error([&] { queue.run(calls[0]); }) == error);
}

TEST_CASE("a call that fails wakes those that wait behind it, however long it ran") {
  const auto errors = run_behind([] {
    std::this_thread::sleep_for(200ms);
    throw PeerLost(2, "rank 2 is gone");
  });
  CHECK(errors == std::vector<std::string>(2, "rank 2 is gone"));
}

TEST_CASE("collectives and the exchanges of each pair of ranks are numbered apart") {
  CallQueue queue(std::make_unique<ScriptedEngine>([](const CollectiveCall&) {}), 20ms);
  using Kind = CollectiveCall::Kind;
  const auto calls = entered(queue, {{.kind = Kind::barrier},
                                     {.kind = Kind::send, .root = 1},
                                     {.kind = Kind::recv, .root = 1},
                                     {.kind = Kind::send, .root = 2},
                                     {.kind = Kind::all_reduce}});
  std::vector<std::uint64_t> numbers, turns;
  for (const CollectiveCall& call : calls) {
    numbers.push_back(call.number);
    turns.push_back(call.turn);
  }
  CHECK(numbers == std::vector<std::uint64_t>{0, 0, 1, 0, 1});
  CHECK(turns == std::vector<std::uint64_t>{0, 1, 2, 3, 4});
}

}  // namespace
}  // namespace leat::test
