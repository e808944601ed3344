// Hands this rank's memory files to the other ranks of the host.
#pragma once

#include <list>
#include <string>
#include <thread>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/loader/os/wake_pipe.h"

namespace leat::detail {

inline constexpr std::string_view kFilesGreeting = "leat-files ";  // precedes the password
inline constexpr std::string_view kFilesReply = "leat-files";

// Listens at a name of the abstract namespace, and sends the files to everyone who runs under the same user and knows
// the password. Whoever sends anything else is disconnected; whoever sends nothing is, when too many others come.
// Threads: the constructor and the destructor belong to the owner; everything else runs on the server's own thread.
class FileServer {
 public:
  // The files must stay open as long as the server. Throws SystemError.
  FileServer(const std::string& name, const std::string& password, std::vector<int> files, std::size_t ranks);
  ~FileServer();  // closes all connections
  FileServer(const FileServer&) = delete;
  FileServer& operator=(const FileServer&) = delete;

 private:
  void serve();
  void accept_one();
  void answer(int client) const;

  // Constant after construction.
  const std::string greeting_;
  const std::vector<int> files_;
  const std::size_t max_clients_;
  const UniqueFd listener_;
  const WakePipe stop_;

  std::list<UniqueFd>
      clients_;  // that have sent nothing yet, the oldest first; used only by the server's thread

  std::thread thread_;  // last, so that it starts when all members exist
};

}  // namespace leat::detail
