// The server of a TcpStore, which runs in rank 0's process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/loader/os/wake_pipe.h"
#include "leat/parallel/store/deadline.h"
#include "leat/parallel/store/store_hello.h"
#include "leat/parallel/store/store_session.h"
#include "leat/parallel/store/store_table.h"
#include "leat/parallel/world_settings.h"

namespace leat::detail {

// Threads: the constructor, wait_for_goodbyes() and the destructor belong to the owner; everything else runs on the
// server's own thread. Invariants:
//  1. Only the server's thread accesses the sessions and the table.
//  2. A rank has at most one session, and only after a hello with the code of the job's secret. A hello with another
//     world size, or with a rank that already has a session, is refused with a message that names both sides.
//  3. present_ is the number of sessions with a rank, and changes only under mutex_.
//  4. Strangers cannot crowd out the ranks: sessions that have not said hello are limited in number, time and bytes. If
//     there are too many, the oldest one makes room for the new one, because a rank says hello at once.
class StoreServer {
 public:
  StoreServer(UniqueFd listener, const WorldSettings& world);
  ~StoreServer();  // closes all connections
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  // Waits until every rank that connected has said goodbye or is lost. Returns false if the deadline passes first.
  bool wait_for_goodbyes(const Deadline& deadline);

 private:
  void serve();
  void accept_one();
  int poll_timeout() const;
  void handle(StoreSession& session, short events);
  void advance(StoreSession& session);  // carries out the requests in its input
  void make_room_for_stranger();
  void welcome(StoreSession& session, const ReceivedHello& received);
  StoreWelcome answer_hello(const StoreSession& session, const ReceivedHello& received);
  void carry_out(StoreSession& session, StoreRequest request);
  void answer_waiting(const std::string& key);
  void expire();
  void drop_finished();
  void publish_lost();
  void count_present();

  // Constant after construction.
  const UniqueFd listener_;
  const WakePipe stop_;        // ends the thread
  const WorldSettings world_;  // of rank 0; its master_port is that of the listener

  // Used only by the server's thread.
  std::list<StoreSession> sessions_;
  bool accepting_ = true;  // false for a moment after the process ran out of descriptors
  StoreTable table_;
  std::set<int> lost_;  // ranks, as published at kLostRanksKey

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  int present_ = 0;

  std::thread thread_;  // last, so that it starts when all members exist
};

}  // namespace leat::detail
