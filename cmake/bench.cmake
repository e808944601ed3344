# leat-bench: Google Benchmark programs that print the limit, ours, and the ratio.
find_package(benchmark REQUIRED)
leat_program(leat-bench FOLDERS bench LIBRARIES leat::leat benchmark::benchmark JPEG::JPEG fmt::fmt)
target_compile_definitions(leat-bench PRIVATE LEAT_BENCH_DATA="${PROJECT_BINARY_DIR}/bench-data")
