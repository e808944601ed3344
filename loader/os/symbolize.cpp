// Implementation of describe_frames(): finds the functions and source lines of addresses.
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "leat/datasets/base/unique_fd.h"
#include "leat/loader/os/stack_trace.h"

namespace leat::detail {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{2};  // timeout of addr2line, for all frames together
constexpr std::size_t kMostOutput = std::size_t{1} << 20;

// The place of an address in the program.
struct Place {
  std::string module;        // path; empty if the dynamic linker knows no module there
  std::uint64_t offset = 0;  // address relative to the module's load address
  std::string function;      // exported, demangled; may be empty
  std::uint64_t into = 0;    // bytes from the start of the function
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

Place place_of(std::uint64_t address) {
  Dl_info info{};
  link_map* map = nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a return address
  if (::dladdr1(reinterpret_cast<void*>(address), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) ==
      0)
    return {};
  Place place;
  place.module = map->l_name != nullptr && *map->l_name != '\0' ? map->l_name : "/proc/self/exe";
  place.offset = address - map->l_addr;
  if (info.dli_sname != nullptr) {
    place.function = demangled(info.dli_sname);
    place.into = address - reinterpret_cast<std::uint64_t>(info.dli_saddr);
  }
  return place;
}

// Reads until the end of the file, the deadline, or kMostOutput bytes.
std::string read_until(int fd, Clock::time_point deadline) {
  std::string text;
  std::array<char, 4096> part;
  while (text.size() < kMostOutput) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd readable{fd, POLLIN, 0};
    const int ready = ::poll(&readable, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): one thread at a time asks, for two seconds at most
    const ssize_t got = ::read(fd, part.data(), part.size());
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// Runs a program and returns what it prints to stdout. Returns an empty text if the program cannot be run.
std::string output_of(std::vector<std::string> arguments, Clock::time_point deadline) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = -1;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  write_end.reset();
  if (error != 0) return {};
  std::string text = read_until(read_end.get(), deadline);
  ::kill(child, SIGKILL);  // it has ended, or it takes too long
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

struct SourceLine {
  std::string function, file_and_line;  // empty if not known
};

// Caches the answers of addr2line, since the same frames occur in many errors.
class SourceLines {
 public:
  // Asks addr2line for the source lines of these offsets of one module, and adds them.
  void look_up(const std::string& module, const std::vector<std::uint64_t>& offsets,
               Clock::time_point deadline) {
    std::error_code ignored;
    const std::filesystem::path file = std::filesystem::canonical(module, ignored);
    if (file.empty() || Clock::now() >= deadline) return;
    std::vector<std::string> arguments{"addr2line", "-C", "-f", "-e", file.string()};
    for (const std::uint64_t offset : offsets) arguments.push_back(fmt::format("{:#x}", offset));
    const std::string text = output_of(std::move(arguments), deadline);
    std::string_view rest = text;
    for (const std::uint64_t offset : offsets) {
      if (std::count(rest.begin(), rest.end(), '\n') < 2)
        return;  // the program took too long; the next call asks again
      const std::string_view function = next_line(rest), line = next_line(rest);
      known_[{module, offset}] = {known(function), known(line.substr(0, line.find(" (discriminator")))};
    }
  }

  const SourceLine* find(const std::string& module, std::uint64_t offset) const {
    const auto found = known_.find({module, offset});
    return found == known_.end() ? nullptr : &found->second;
  }

 private:
  static std::string_view next_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return line;
  }
  static std::string known(std::string_view text) {
    return text.starts_with("??") || text.ends_with(":?") ? std::string() : std::string(text);
  }

  std::map<std::pair<std::string, std::uint64_t>, SourceLine> known_;
};

std::string describe(const Place& place, std::uint64_t address, const SourceLine* source) {
  if (place.module.empty()) return fmt::format("{:#x}", address);
  std::error_code ignored;
  const auto module = std::filesystem::canonical(place.module, ignored).filename().string();
  std::string text = source != nullptr ? source->function : std::string();
  if (text.empty() && !place.function.empty()) text = fmt::format("{}+{:#x}", place.function, place.into);
  if (source != nullptr && !source->file_and_line.empty())
    return fmt::format("{} at {}", text, source->file_and_line);
  return fmt::format("{}{}{}+{:#x}{}", text, text.empty() ? "" : " (", module, place.offset,
                     text.empty() ? "" : ")");
}

}  // namespace

// A return address is that of the instruction after the call, which may belong to a later source line. So all frames
// except the innermost are looked up one byte earlier.
std::string describe_frames(std::span<const std::uint64_t> addresses) {
  static std::mutex mutex;
  static SourceLines lines;
  const std::lock_guard lock(mutex);
  std::vector<Place> places;
  std::map<std::string, std::vector<std::uint64_t>> unknown;
  for (const std::uint64_t address : addresses) {
    Place place = place_of(address);
    if (place.offset > 0 && !places.empty()) --place.offset;
    if (!place.module.empty() && lines.find(place.module, place.offset) == nullptr)
      unknown[place.module].push_back(place.offset);
    places.push_back(std::move(place));
  }
  const auto deadline = Clock::now() + kPatience;
  for (const auto& [module, offsets] : unknown) lines.look_up(module, offsets, deadline);
  std::string text;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const SourceLine* const source = lines.find(places[i].module, places[i].offset);
    text += fmt::format("\n    #{} {}", i, describe(places[i], addresses[i], source));
  }
  return text;
}

}  // namespace leat::detail
