#include "leat/parallel/shared_memory/file_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "leat/datasets/errors.h"
#include "leat/loader/os/service_thread.h"
#include "leat/parallel/shared_memory/unix_socket.h"

namespace leat::detail {
namespace {

constexpr std::size_t kMaxStrangers = 32;
constexpr int kPauseMilliseconds = 10;  // after accept() failed, for lack of descriptors

}  // namespace

FileServer::FileServer(const std::string& name, const std::string& password, std::vector<int> files,
                       std::size_t ranks)
    : greeting_(std::string(kFilesGreeting) + password),
      files_(std::move(files)),
      max_clients_(ranks + kMaxStrangers),
      listener_(listen_at_abstract(name)),
      thread_(start_service_thread("leat-files", [this] { serve(); })) {}

FileServer::~FileServer() {
  static_cast<void>(stop_.notify());
  thread_.join();
}

void FileServer::serve() {
  std::vector<pollfd> waits;
  for (;;) {
    waits = {{.fd = stop_.fd(), .events = POLLIN, .revents = 0},
             {.fd = listener_.get(), .events = POLLIN, .revents = 0}};
    for (const UniqueFd& client : clients_)
      waits.push_back({.fd = client.get(), .events = POLLIN, .revents = 0});
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    if (waits[0].revents != 0) return;
    std::size_t i = 2;
    for (auto client = clients_.begin(); client != clients_.end(); ++i) {
      if (waits[i].revents != 0) {
        answer(client->get());
        client = clients_.erase(client);
      } else {
        ++client;
      }
    }
    if (waits[1].revents != 0) accept_one();
  }
}

void FileServer::accept_one() {
  UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!client) {
    ::poll(nullptr, 0, kPauseMilliseconds);
    return;
  }
  clients_.push_back(std::move(client));
  if (clients_.size() > max_clients_) clients_.pop_front();
}

void FileServer::answer(int client) const {
  try {
    const auto message = receive_message(client);
    if (!message || message->bytes != greeting_ || process_at(client).user != ::geteuid()) return;
    send_message(client, kFilesReply, files_);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): on purpose
    // The client is disconnected. A rank says so, and names this one.
  }
}

}  // namespace leat::detail
