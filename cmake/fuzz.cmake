# libFuzzer targets, one for each source of tests/fuzz/; clang only. Use tests/fuzz/run.sh, which takes the preset asan.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT LEAT_SANITIZE MATCHES "fuzzer-no-link")
  message(FATAL_ERROR "LEAT_FUZZ needs clang, and LEAT_SANITIZE with fuzzer-no-link in it: take the preset asan")
endif()
add_library(leat_fuzz_support STATIC tests/support/memory_file.cpp tests/support/temporary_folder.cpp)
target_link_libraries(leat_fuzz_support PUBLIC leat::loader)
leat_own_target(leat_fuzz_support)

file(GLOB seed_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/datasets/support/*.cpp
     ${PROJECT_SOURCE_DIR}/tests/datasets/image/jpeg_files.cpp)
leat_program(make_seeds SOURCES tests/fuzz/make_seeds.cpp ${seed_sources}
             LIBRARIES leat_fuzz_support fmt::fmt ZLIB::ZLIB zstd JPEG::JPEG)
add_custom_target(fuzz_targets DEPENDS make_seeds)
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(target ${source} NAME_WE)
  leat_program(${target} SOURCES ${source} LIBRARIES leat_fuzz_support fmt::fmt ZLIB::ZLIB)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_targets ${target})
endforeach()
