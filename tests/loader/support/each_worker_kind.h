// One contract for every kind of worker: LEAT_LOADER_TEST(name, "text") { ... `workers` ... } becomes two
// test cases, one inline and with threads (which ThreadSanitizer can follow), one with processes (label
// process).
#pragma once

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "leat/loader/data_loader.h"

namespace leat::test {

struct Workers {
  WorkerKind kind = WorkerKind::processes;
  int number = 0;

  DataLoaderOptions with(DataLoaderOptions options) const {
    options.worker_kind = kind;
    options.num_workers = number;
    if (!options.on_warning) options.on_warning = [](const std::string&) {};  // of more workers than CPUs
    return options;
  }
};

template <class Test>
void for_inline_and_threads(Test&& test) {
  for (const int number : {0, 1, 2, 5}) {
    INFO(number << " worker threads");
    test(Workers{WorkerKind::threads, number});
  }
}

template <class Test>
void for_processes(Test&& test) {
  for (const int number : {1, 2, 5}) {
    INFO(number << " worker processes");
    test(Workers{WorkerKind::processes, number});
  }
}

}  // namespace leat::test

#define LEAT_LOADER_TEST(name, text)             \
  static void name(leat::test::Workers workers); \
  TEST_CASE(text " (inline, threads)") {         \
    leat::test::for_inline_and_threads(name);    \
  }                                              \
  TEST_CASE(text " (processes)", "[process]") {  \
    leat::test::for_processes(name);             \
  }                                              \
  static void name([[maybe_unused]] leat::test::Workers workers)
