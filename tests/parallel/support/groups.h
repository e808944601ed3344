// Groups of communicators of every engine, for tests that run over all of them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "leat/parallel/communicator.h"

namespace leat::test {

// The ranks of a group. They end from the last to the first: rank 0's store waits for the others to say goodbye, and
// here one thread ends them all.
template <class T>
class Ranks {
 public:
  Ranks() = default;
  explicit Ranks(std::size_t size) : ranks_(size) {}
  explicit Ranks(std::vector<T> ranks) : ranks_(std::move(ranks)) {}
  Ranks(Ranks&&) = default;
  Ranks& operator=(Ranks&&) = delete;
  ~Ranks() {
    while (!ranks_.empty()) ranks_.pop_back();
  }

  T& operator[](std::size_t rank) { return ranks_[rank]; }
  const T& operator[](std::size_t rank) const { return ranks_[rank]; }
  std::size_t size() const { return ranks_.size(); }
  void push_back(T rank) { ranks_.push_back(std::move(rank)); }

 private:
  std::vector<T> ranks_;
};

using Group = Ranks<std::unique_ptr<Communicator>>;

// Makes the ranks of a group within this process.
using GroupMaker = std::function<Group(int ranks, std::chrono::milliseconds timeout)>;

Group local_group(int ranks, std::chrono::milliseconds timeout);

}  // namespace leat::test
