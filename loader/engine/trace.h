// Trace: a file that records what a loader did when, for chrome://tracing and ui.perfetto.dev.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

namespace leat::detail {

// Writes a file in the Trace Event Format (JSON array), event by event. Times are nanoseconds of
// std::chrono::steady_clock. Thread-safe. If something cannot be written (a full disk, for instance), the destructor
// warns once.
class Trace {
 public:
  // Tracks, top to bottom.
  static constexpr int kConsumer = 1, kFirstWorker = 100, kFirstSlot = 10'000;

  explicit Trace(const std::string& path);  // throws SystemError if the file cannot be created
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  void name_track(int track, const std::string& name);
  // Writes a span of a track. `arguments` are the members of a JSON object, without braces: "\"batch\":3".
  void span(int track, const std::string& name, std::uint64_t began_ns, std::uint64_t ended_ns,
            const std::string& arguments = {});

  // Creates the file that the environment variable LEAT_TRACE names. From the second call in a process on, ".n" is
  // appended to the name for the n-th call. Returns nullptr if the variable is not set or empty.
  static std::unique_ptr<Trace> from_environment();

 private:
  void write(const std::string& event);

  const std::string path_;
  std::mutex mutex_;  // guards all members below
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  bool first_ = true;
};

}  // namespace leat::detail
