// An adapter that makes a TcpStore a store for Gloo.
#pragma once

#include <gloo/rendezvous/store.h>

#include <chrono>
#include <string>
#include <vector>

#include "leat/parallel/store/deadline.h"
#include "leat/parallel/tcp_store.h"

namespace leat::detail {

// Adds a prefix to keys, so that several contexts can use one store. All waits end at one deadline, including those
// of get(), to which Gloo passes no timeout.
class GlooStore final : public gloo::rendezvous::Store {
 public:
  GlooStore(TcpStore& store, std::string prefix, const Deadline& deadline)
      : store_(store), prefix_(std::move(prefix)), deadline_(deadline) {}

  void set(const std::string& key, const std::vector<char>& data) override;
  std::vector<char> get(const std::string& key) override;
  void wait(const std::vector<std::string>& keys) override;
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override;

 private:
  TcpStore& store_;
  const std::string prefix_;
  const Deadline deadline_;
};

}  // namespace leat::detail
