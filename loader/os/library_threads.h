// The thread pools that libraries keep inside a process.
#pragma once

#include <string>
#include <vector>

namespace leat::detail {

/// OpenMP runtimes, OpenBLAS, BLIS, MKL and OpenCV start as many threads as there are CPUs, unless told otherwise. In a
/// forked process their threads are missing though the library believes that they are there: the first parallel loop
/// waits for them for ever. With one thread a library uses none of its pool. PyTorch's workers do the same.
class LibraryThreads {
 public:
  /// Looks for them among the libraries that are loaded now, as the dynamic linker knows them; links none. Takes the
  /// dynamic linker's lock, so it belongs into the process that forks, before the fork.
  static LibraryThreads find();

  /// Sets the number of threads of each library that was found, in this process (OpenMP: for calls from this thread).
  void limit_to(int threads) const;

  /// The same for OpenMP alone, whose setting is the calling thread's own.
  void limit_this_thread_to(int threads) const;

  /// The functions that were found, for messages and tests: "omp_set_num_threads of libgomp.so.1".
  std::vector<std::string> names() const;

 private:
  struct Setter {
    const char* name;
    std::string library;
    void* function;
    bool of_thread;  // its setting is the calling thread's, not the process's
    bool takes_long;
  };
  static void call(const Setter& setter, int threads);

  std::vector<Setter> setters_;
};

}  // namespace leat::detail
