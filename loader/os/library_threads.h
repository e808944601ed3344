// LibraryThreads: limits the thread pools that libraries keep inside a process.
#pragma once

#include <string>
#include <vector>

namespace leat::detail {

/// Sets the number of threads that libraries use. OpenMP runtimes, OpenBLAS, BLIS, MKL, OpenCV and LibTorch start as
/// many threads as there are CPUs, unless told otherwise. In a forked process these threads are missing, but the
/// library expects them to be there: its first parallel loop waits for them forever. With one thread, a library does
/// not use its pool. PyTorch limits its workers in the same way.
class LibraryThreads {
 public:
  /// Looks for these libraries among those that the dynamic linker has loaded so far; leat links none of them. Takes
  /// the dynamic linker's lock, so call it before the fork, in the process that forks.
  static LibraryThreads find();

  /// Sets the number of threads of each library that was found, in this process (OpenMP: for calls from this thread).
  void limit_to(int threads) const;

  /// Does the same only for OpenMP, whose setting belongs to the calling thread.
  void limit_this_thread_to(int threads) const;

  /// Returns the functions that were found, for messages and tests: "omp_set_num_threads of libgomp.so.1".
  std::vector<std::string> names() const;

 private:
  struct Setter {
    const char* name;
    std::string library;
    void* function;
    bool of_thread;  // whether the setting belongs to the calling thread, not to the process
    bool takes_long;
  };
  static void call(const Setter& setter, int threads);

  std::vector<Setter> setters_;
};

}  // namespace leat::detail
