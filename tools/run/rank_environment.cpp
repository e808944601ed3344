#include "tools/run/rank_environment.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>

#include "leat/datasets/errors.h"
#include "leat/loader/os/cpus.h"
#include "leat/parallel/store/sha256.h"

namespace leat::tools {

using namespace detail;

namespace {

std::string random_text(std::size_t bytes) {
  std::string random(bytes, '\0');
  if (::getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) throw_errno("getrandom");
  return hex(random);
}

// Returns whether the variable is one of another launcher, or of a leat-run that this one runs under.
bool is_replaced(std::string_view name) {
  return name.starts_with("TORCHELASTIC_") || name == "LEAT_MASTER_ADDR" || name == "LEAT_MASTER_PORT" ||
         name == "GROUP_RANK" || name == "ROLE_RANK" || name == "ROLE_WORLD_SIZE" ||
         name == "GROUP_WORLD_SIZE";
}

std::map<std::string, std::string> inherited_variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || is_replaced(text.substr(0, equals))) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

}  // namespace

JobIdentity make_job_identity() {
  const char* secret = std::getenv("LEAT_JOB_SECRET");
  return {.secret = secret == nullptr ? random_text(32) : secret, .run_id = random_text(8)};
}

ReservedPort::ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  if (!socket_ || ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket_.get(), generic, size) != 0 || ::getsockname(socket_.get(), generic, &size) != 0) {
    throw_errno("finding a free port of 127.0.0.1");
  }
  number_ = ntohs(address.sin_port);
}

std::vector<std::string> environment_of_rank(const RunOptions& options, const JobIdentity& job,
                                             std::uint16_t port, int restart, int rank) {
  auto variables = inherited_variables();
  const std::string number = std::to_string(rank), ranks = std::to_string(options.ranks);
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"RANK", number},
                                          {"LOCAL_RANK", number},
                                          {"WORLD_SIZE", ranks},
                                          {"LOCAL_WORLD_SIZE", ranks},
                                          {"MASTER_ADDR", "127.0.0.1"},
                                          {"MASTER_PORT", std::to_string(port)},
                                          {"LEAT_LAUNCHER", "leat-run"},
                                          {"LEAT_JOB_SECRET", job.secret},
                                          {"LEAT_RUN_ID", job.run_id},
                                          {"LEAT_RESTART_COUNT", std::to_string(restart)}}) {
    variables[name] = value;
  }
  if (!options.gpus.empty()) variables["CUDA_VISIBLE_DEVICES"] = options.gpus[static_cast<std::size_t>(rank)];
  const double share = std::floor(usable_cpus() / options.ranks);
  variables.emplace("OMP_NUM_THREADS", std::to_string(std::max(1, static_cast<int>(share))));
  std::vector<std::string> entries;
  entries.reserve(variables.size());
  for (const auto& [name, value] : variables) entries.push_back(fmt::format("{}={}", name, value));
  return entries;
}

}  // namespace leat::tools
