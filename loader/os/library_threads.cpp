#include "leat/loader/os/library_threads.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace leat::detail {

namespace {

struct Known {
  const char* name;
  bool of_thread;
  bool takes_long;
};

constexpr std::array<Known, 6> kKnown{{
    {"omp_set_num_threads", true, false},  // GNU's, LLVM's and Intel's OpenMP
    {"openblas_set_num_threads", false, false},
    {"MKL_Set_Num_Threads", false, false},
    {"bli_thread_set_num_threads", false, true},
    {"_ZN2cv13setNumThreadsEi", false, false},  // cv::setNumThreads(int)
    // at::set_num_threads(int) of LibTorch, which otherwise sets OpenMP's number anew at its first operation.
    {"_ZN2at15set_num_threadsEi", false, false},
}};

int add_name(dl_phdr_info* info, std::size_t, void* names) {
  if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

}  // namespace

LibraryThreads LibraryThreads::find() {
  std::vector<std::string> libraries;
  ::dl_iterate_phdr(add_name, &libraries);
  libraries.emplace_back();  // an empty name stands for the program itself
  LibraryThreads found;
  for (const std::string& library : libraries) {
    void* const handle = ::dlopen(library.empty() ? nullptr : library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;  // just unloaded, or provided by the kernel (the vDSO)
    for (const Known& known : kKnown) {
      void* const function = ::dlsym(handle, known.name);  // also finds functions of its dependencies
      const bool is_known = std::any_of(found.setters_.begin(), found.setters_.end(),
                                        [&](const Setter& setter) { return setter.function == function; });
      if (function == nullptr || is_known) continue;
      Dl_info info{};
      const bool named = ::dladdr(function, &info) != 0 && info.dli_fname != nullptr;
      found.setters_.push_back(
          {known.name, named ? info.dli_fname : library, function, known.of_thread, known.takes_long});
    }
    ::dlclose(handle);
  }
  return found;
}

void LibraryThreads::call(const Setter& setter, int threads) {
  if (setter.takes_long) {
    reinterpret_cast<void (*)(long)>(setter.function)(threads);
  } else {
    reinterpret_cast<void (*)(int)>(setter.function)(threads);
  }
}

void LibraryThreads::limit_to(int threads) const {
  for (const Setter& setter : setters_) call(setter, threads);
}

void LibraryThreads::limit_this_thread_to(int threads) const {
  for (const Setter& setter : setters_) {
    if (setter.of_thread) call(setter, threads);
  }
}

std::vector<std::string> LibraryThreads::names() const {
  std::vector<std::string> names;
  for (const Setter& setter : setters_) {
    names.push_back(
        fmt::format("{} of {}", setter.name, std::filesystem::path(setter.library).filename().string()));
  }
  return names;
}

}  // namespace leat::detail
