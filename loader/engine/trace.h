// What a loader did when, for chrome://tracing and ui.perfetto.dev.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

namespace leat::detail {

// Writes a file in the Trace Event Format (JSON array), event by event. Times are nanoseconds of
// std::chrono::steady_clock. Thread-safe. What cannot be written (a full disk) is reported once, by a warning on
// destruction.
class Trace {
 public:
  // Tracks, top to bottom.
  static constexpr int kConsumer = 1, kFirstWorker = 100, kFirstSlot = 10'000;

  explicit Trace(const std::string& path);  // throws SystemError where it cannot be created
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  void name_track(int track, const std::string& name);
  // `arguments` is the inside of a JSON object: "\"batch\":3".
  void span(int track, const std::string& name, std::uint64_t began_ns, std::uint64_t ended_ns,
            const std::string& arguments = {});

  // The file that the environment variable LEAT_TRACE names; of the n-th loader of the process that asks, from the
  // second on, with ".n" appended. nullptr where it is not set.
  static std::unique_ptr<Trace> from_environment();

 private:
  void write(const std::string& event);

  const std::string path_;
  std::mutex mutex_;  // guards all below
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  bool first_ = true;
};

}  // namespace leat::detail
