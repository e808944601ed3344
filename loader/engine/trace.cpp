#include "leat/loader/engine/trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "leat/datasets/errors.h"
#include "leat/datasets/warning.h"

namespace leat::detail {

Trace::Trace(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "we"), &std::fclose) {
  if (!file_) throw_errno(fmt::format("creating the trace file {}", path));
  // Unbuffered: a forked process would inherit the contents of a buffer and write them a second time.
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  std::fputs("[", file_.get());
  name_track(kConsumer, "consumer");
}

// If a process ends without running this destructor, the array stays open, which the viewers accept.
Trace::~Trace() {
  std::fputs("\n]\n", file_.get());
  const bool failed = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || failed) warn({}, fmt::format("the trace {} is incomplete", path_));
}

void Trace::name_track(int track, const std::string& name) {
  write(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})",
                    ::getpid(), track, name));
  write(fmt::format(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
                    ::getpid(), track, track));
}

void Trace::span(int track, const std::string& name, std::uint64_t began_ns, std::uint64_t ended_ns,
                 const std::string& arguments) {
  const auto micros = [](std::uint64_t ns) { return static_cast<double>(ns) / 1e3; };
  write(fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
                    name, ::getpid(), track, micros(began_ns), micros(ended_ns - began_ns), arguments));
}

void Trace::write(const std::string& event) {
  const std::lock_guard lock(mutex_);
  std::fputs(((first_ ? "\n" : ",\n") + event).c_str(), file_.get());
  first_ = false;
}

std::unique_ptr<Trace> Trace::from_environment() {
  const char* const path =
      std::getenv("LEAT_TRACE");  // NOLINT(concurrency-mt-unsafe): as every environment variable
  if (path == nullptr || *path == '\0') return nullptr;
  static std::atomic<int> loaders{0};
  const int number = ++loaders;
  return std::make_unique<Trace>(number == 1 ? std::string(path) : fmt::format("{}.{}", path, number));
}

}  // namespace leat::detail
