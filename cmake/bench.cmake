# leat-bench: Google Benchmark programs that print the limit, ours, and the ratio.
find_package(benchmark REQUIRED)
leat_program(leat-bench FOLDERS bench LIBRARIES leat::leat benchmark::benchmark JPEG::JPEG fmt::fmt)
target_compile_definitions(leat-bench PRIVATE LEAT_BENCH_DATA="${PROJECT_BINARY_DIR}/bench-data/pictures")
# leat-latency: first batches, fairness, hand-over, memory, recovery; prints ours and the target.
leat_program(leat-latency FOLDERS bench/latency SOURCES ${PROJECT_SOURCE_DIR}/bench/figure.cpp
             LIBRARIES leat::leat fmt::fmt)
# leat-cold-cache: records that are not in memory, with and without reading ahead.
find_package(CLI11 REQUIRED)
leat_program(leat-cold-cache FOLDERS bench/cold_cache SOURCES ${PROJECT_SOURCE_DIR}/bench/figure.cpp
             LIBRARIES leat::leat CLI11::CLI11 fmt::fmt)
target_compile_definitions(leat-cold-cache PRIVATE LEAT_BENCH_DATA="${PROJECT_BINARY_DIR}/bench-data/cold-records")
# leat-picture-steps: where the time of a picture goes; and pixels for tests/parity/pillow.py.
leat_program(leat-picture-steps FOLDERS bench/picture_steps
             SOURCES ${PROJECT_SOURCE_DIR}/bench/bare_decode.cpp ${PROJECT_SOURCE_DIR}/bench/figure.cpp
             LIBRARIES leat::datasets JPEG::JPEG fmt::fmt)
