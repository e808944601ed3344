# leat-bench: Google Benchmark programs that print the limit, ours, and the ratio.
find_package(benchmark REQUIRED)
leat_program(leat-bench FOLDERS bench
             LIBRARIES leat_tools_common benchmark::benchmark JPEG::JPEG CLI11::CLI11 fmt::fmt)
# leat-latency: first batches, fairness, hand-over, memory, recovery; prints ours and the target.
leat_program(leat-latency FOLDERS bench/latency SOURCES ${PROJECT_SOURCE_DIR}/bench/figure.cpp
             LIBRARIES leat_tools_common CLI11::CLI11 fmt::fmt)
# leat-cold-cache: records that are not in memory, with and without reading ahead.
leat_program(leat-cold-cache FOLDERS bench/cold_cache
             SOURCES ${PROJECT_SOURCE_DIR}/bench/figure.cpp ${PROJECT_SOURCE_DIR}/bench/data_folder.cpp
             LIBRARIES leat_tools_common CLI11::CLI11 fmt::fmt)
# leat-image-steps: where the time of an image goes; and pixels for tests/parity/pillow.py.
leat_program(leat-image-steps FOLDERS bench/image_steps
             SOURCES ${PROJECT_SOURCE_DIR}/bench/bare_decode.cpp ${PROJECT_SOURCE_DIR}/bench/figure.cpp
             LIBRARIES leat_tools_common JPEG::JPEG CLI11::CLI11 fmt::fmt)
# leat-transfer: what the way to a device costs, against its limits.
leat_program(leat-transfer FOLDERS bench/transfer SOURCES ${PROJECT_SOURCE_DIR}/bench/figure.cpp
             LIBRARIES leat_tools_common CLI11::CLI11 fmt::fmt)
# leat-data-parallel: the steps of a LibTorch model with ranks; bench/data_parallel.sh compares it with PyTorch.
if(TARGET leat::torch)
  leat_program(leat-data-parallel FOLDERS bench/data_parallel LIBRARIES leat::torch)
  set_target_properties(leat-data-parallel PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
endif()
# leat-collectives: all-reduces within a host, against a bare loop.
leat_program(leat-collectives FOLDERS bench/collectives SOURCES ${PROJECT_SOURCE_DIR}/bench/figure.cpp
             LIBRARIES leat_tools_common CLI11::CLI11 fmt::fmt)
# The bare loop is compiled as the library's sums are.
set_source_files_properties(${PROJECT_SOURCE_DIR}/bench/collectives/bare_reduce.cpp PROPERTIES
                            COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3;-fno-trapping-math>")
foreach(program leat-bench leat-latency leat-cold-cache leat-image-steps leat-transfer leat-collectives)
  leat_install_program(${program})
endforeach()
