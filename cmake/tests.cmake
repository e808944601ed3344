# One test program per folder of tests/, holding every <stem>_test.cpp below it. A test case carries at most one of
# the tags [process] [real-data] [gpu] [slow], which becomes its CTest label; a case without one is labeled unit.
enable_testing()
find_package(Catch2 REQUIRED)
add_library(leat_catch2 INTERFACE)
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  target_link_libraries(leat_catch2 INTERFACE Catch2::Catch2WithMain)
else()  # version 2: give it the header names of version 3, and a main
  add_library(leat_catch2_main OBJECT ${PROJECT_SOURCE_DIR}/tests/catch2_v2/main.cpp)
  target_link_libraries(leat_catch2_main PRIVATE Catch2::Catch2)
  target_compile_options(leat_catch2_main PRIVATE -O0 -g0)  # it takes a minute to optimize, and need not be fast
  target_include_directories(leat_catch2 INTERFACE ${PROJECT_SOURCE_DIR}/tests/catch2_v2)
  target_link_libraries(leat_catch2 INTERFACE Catch2::Catch2 $<TARGET_OBJECTS:leat_catch2_main>)
endif()
include(Catch)

# leat_discover_tests(<target> <label> <spec> [<seconds>]): after so many a test has failed.
function(leat_discover_tests target label spec)
  set(timeout 120)
  if(LEAT_SANITIZE)
    set(timeout 400)  # collectives of many threads take ten times as long
  endif()
  if(ARGC GREATER 3)
    set(timeout ${ARGV3})
  endif()
  catch_discover_tests(${target} TEST_SPEC "${spec}" TEST_PREFIX "${label}: "
    PROPERTIES LABELS ${label} TIMEOUT ${timeout} SKIP_REGULAR_EXPRESSION "SKIPPED:")
endfunction()

# leat_tests(<folder> LIBRARIES <library>...)
function(leat_tests folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
  # Of a backend and its stand-in, only the one that was built is tested.
  foreach(backend ${LEAT_GLOO_FOLDER} ${LEAT_NCCL_FOLDER})
    get_filename_component(chosen ${backend} NAME)
    if(chosen MATCHES "^no_(.*)")
      set(other ${CMAKE_MATCH_1})
    else()
      set(other no_${chosen})
    endif()
    list(FILTER sources EXCLUDE REGEX "/${other}/")
  endforeach()
  if(NOT LEAT_CUDA STREQUAL "FAKE")
    list(FILTER sources EXCLUDE REGEX "/tests/${folder}/(cuda/|nccl/fake_)")  # tests over the fake runtime
  endif()
  # ThreadSanitizer sees nothing in tests without threads. Those of datasets are many, and each starts its threads itself.
  if(LEAT_SANITIZE STREQUAL "thread" AND folder STREQUAL "datasets")
    foreach(source IN LISTS sources)
      file(STRINGS ${source} threads REGEX "#include <(thread|future)>" LIMIT_COUNT 1)
      if(source MATCHES "_test.cpp$" AND NOT threads)
        list(REMOVE_ITEM sources ${source})
      endif()
    endforeach()
  endif()
  if(NOT sources)
    return()
  endif()
  set(target ${folder}_tests)
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE leat_test_support ${arg_LIBRARIES})
  leat_own_target(${target})
  leat_precompile(${target} <catch2/catch_test_macros.hpp>)
  if(LEAT_SANITIZE)  # tests need not be fast
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)  # compiles in two thirds of the time of -O3
  endif()
  leat_discover_tests(${target} unit "~[process]~[real-data]~[gpu]~[slow]")
  foreach(label process real-data gpu)
    leat_discover_tests(${target} ${label} "[${label}]")
  endforeach()
  leat_discover_tests(${target} slow "[slow]" 900)
endfunction()

file(GLOB support_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.cpp)
add_library(leat_test_support STATIC ${support_sources})
target_link_libraries(leat_test_support PUBLIC leat_catch2 leat::parallel fmt::fmt ${CMAKE_DL_LIBS})
leat_own_target(leat_test_support)

leat_tests(loader LIBRARIES leat::loader nlohmann_json::nlohmann_json)
target_include_directories(loader_tests PRIVATE ${LEAT_DLPACK_INCLUDE_DIR})
# A library with a thread pool, as a user's dataset may call one. Where the compiler has no OpenMP, its test skips itself.
find_package(OpenMP QUIET COMPONENTS CXX)
if(TARGET OpenMP::OpenMP_CXX)
  target_link_libraries(loader_tests PRIVATE OpenMP::OpenMP_CXX)
endif()
leat_tests(datasets LIBRARIES leat::datasets JPEG::JPEG ZLIB::ZLIB zstd hwy::hwy nlohmann_json::nlohmann_json)
leat_tests(transfer LIBRARIES leat::transfer)
target_include_directories(transfer_tests PRIVATE ${LEAT_DLPACK_INCLUDE_DIR})
if(LEAT_CUDA STREQUAL "FAKE")
  target_link_libraries(transfer_tests PRIVATE leat_cuda_fake)
endif()
if(TARGET leat::torch)
  leat_tests(torch LIBRARIES leat::torch)
  # LibTorch's headers must come before Catch2's: see tests/torch/catch.h.
  set_target_properties(torch_tests PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  target_sources(torch_tests PRIVATE ${PROJECT_SOURCE_DIR}/tests/loader/support/parallel_sum.cpp)
  if(TARGET OpenMP::OpenMP_CXX)
    target_link_libraries(torch_tests PRIVATE OpenMP::OpenMP_CXX)
  endif()
endif()
leat_tests(parallel LIBRARIES leat::parallel ${LEAT_NCCL_LIBRARIES})
if(LEAT_CUDA STREQUAL "FAKE")
  target_link_libraries(parallel_tests PRIVATE leat_nccl_fake)
endif()
# The loader's own code in a simulated machine: compiled a second time, with other headers in the place of some of its
# own, and without the sources that fork processes and start threads. It plays some schedules of each case; all four
# million, which take two and a half minutes, where the environment has LEAT_INTERLEAVINGS=all, as in .ci/run.
option(LEAT_INTERLEAVING "Build the test that plays the claim protocol in many orders" ON)
if(LEAT_INTERLEAVING)
  leat_sources(simulated_sources loader loader/engine loader/samplers loader/slots loader/workers)
  list(FILTER simulated_sources EXCLUDE REGEX "/(sweep|sweep_page|sweep_result|fork_server|fork_server_process|process_pool|thread_pool)[.]cpp$")
  list(APPEND simulated_sources ${PROJECT_SOURCE_DIR}/datasets/combinators/sample_store.cpp)
  file(GLOB interleaving_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/interleaving/*.cpp)
  add_executable(interleaving_tests ${interleaving_sources} ${simulated_sources})
  target_include_directories(interleaving_tests BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/tests/interleaving/standins)
  target_link_libraries(interleaving_tests PRIVATE leat_catch2 leat::loader fmt::fmt nlohmann_json::nlohmann_json)
  leat_own_target(interleaving_tests)
  leat_discover_tests(interleaving_tests process "*" 600)
endif()

if(LEAT_BUILD_TOOLS)
  set(LEAT_FOREIGN_FILES beton_bytes.cpp gzip.cpp tar_bytes.cpp)  # that the tests of the tools write, too
  leat_tests(tools LIBRARIES leat_tools_convert leat_tools_run leat_tools_train leat_tools_sweep leat_tools_common CLI11::CLI11
             nlohmann_json::nlohmann_json)
  list(TRANSFORM LEAT_FOREIGN_FILES PREPEND ${PROJECT_SOURCE_DIR}/tests/datasets/support/)
  target_sources(tools_tests PRIVATE ${LEAT_FOREIGN_FILES})
  target_link_libraries(tools_tests PRIVATE ZLIB::ZLIB)
  # leat-convert with the C library's file functions replaced by ones that end the process where a test says so.
  add_executable(leat-convert-dying ${PROJECT_SOURCE_DIR}/tools/convert/main.cpp
                 ${PROJECT_SOURCE_DIR}/tests/support/file_operations.cpp)
  target_link_libraries(leat-convert-dying PRIVATE leat_tools_convert fmt::fmt ${CMAKE_DL_LIBS})
  leat_own_target(leat-convert-dying)
  target_compile_definitions(tools_tests PRIVATE LEAT_TRAIN="$<TARGET_FILE:leat-train>"
                             LEAT_SWEEP="$<TARGET_FILE:leat-sweep>"
                             LEAT_CONVERT="$<TARGET_FILE:leat-convert>"
                             LEAT_RUN="$<TARGET_FILE:leat-run>"
                             LEAT_CONVERT_DYING="$<TARGET_FILE:leat-convert-dying>")
  add_dependencies(tools_tests leat-convert leat-convert-dying leat-run leat-train leat-sweep)
endif()

set(without "")
foreach(folder ${LEAT_CUDA_FOLDER} ${LEAT_GLOO_FOLDER} ${LEAT_NCCL_FOLDER})
  if(folder MATCHES "/no_(.*)")
    list(APPEND without ${CMAKE_MATCH_1})
  endif()
endforeach()
list(JOIN without "," without)
get_property(programs GLOBAL PROPERTY LEAT_PROGRAMS)
list(JOIN programs "," programs)
set(all_programs OFF)
if(LEAT_BUILD_TOOLS AND LEAT_BUILD_BENCH)
  set(all_programs ON)
endif()
if(NOT LEAT_CUDA STREQUAL "FAKE")  # which is not installed
  add_test(NAME "process: a consumer builds and runs against the installed package"
           COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DWORK=${PROJECT_BINARY_DIR}/consumer
                   -DSOURCE=${PROJECT_SOURCE_DIR}/tests/consumer -DCOMPILER=${CMAKE_CXX_COMPILER} -DWITHOUT=${without}
                   -DTORCH=$<TARGET_EXISTS:leat::torch> -DPROGRAMS=${programs} -DALL_PROGRAMS=${all_programs}
                   -P ${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake)
  set_tests_properties("process: a consumer builds and runs against the installed package"
                       PROPERTIES LABELS process TIMEOUT 900)  # programs with LibTorch take a minute each to compile
endif()

add_test(NAME "process: every C++ snippet of README.md and docs compiles"
         COMMAND ${PROJECT_SOURCE_DIR}/tests/snippets/run.sh ${CMAKE_CXX_COMPILER} ${PROJECT_BINARY_DIR}/include
                 ${PROJECT_BINARY_DIR}/snippets ${LEAT_TORCH_API})
set_tests_properties("process: every C++ snippet of README.md and docs compiles" PROPERTIES LABELS process TIMEOUT 300)
