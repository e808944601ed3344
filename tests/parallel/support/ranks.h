// Runs the ranks of a group as threads of the test.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace leat::test {

// Runs body(rank) for each rank on a thread of its own and waits for all. Returns what each threw, "" for nothing.
// (Catch's assertions belong on the main thread; within ranks use expect().)
inline std::vector<std::string> errors_of_ranks(int ranks, const std::function<void(int)>& body) {
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&errors, &body, rank] {
      try {
        body(rank);
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

// The same, but nothing may be thrown.
inline void run_ranks(int ranks, const std::function<void(int)>& body) {
  std::string all;
  for (const std::string& error : errors_of_ranks(ranks, body)) {
    if (!error.empty()) all += error + "\n";
  }
  if (!all.empty()) throw std::runtime_error(all);
}

// Whether two arrays hold the same bits: == would take -0 for 0, and no NaN for itself.
inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  return std::ranges::equal(a, b, std::ranges::equal_to(), bits, bits);
}

inline void expect(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("expected: " + what);
}

template <class A, class B>
void expect_equal(const A& actual, const B& wanted, const std::string& what) {
  if (!(actual == wanted))
    throw std::runtime_error(fmt::format("{}: {} instead of {}", what, actual, wanted));
}

}  // namespace leat::test
