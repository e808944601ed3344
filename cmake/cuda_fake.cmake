# LEAT_CUDA=FAKE: the sources for CUDA, unchanged, are built against tests/cuda_fake/, a CUDA runtime on the CPU. A kernel's
# source is C++ to the compiler then. What is built so is for tests, and not installed.
file(GLOB fake_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cuda_fake/*.cpp)
add_library(leat_cuda_fake STATIC ${fake_sources} ${PROJECT_SOURCE_DIR}/tests/interleaving/fiber.cpp)
target_include_directories(leat_cuda_fake SYSTEM PUBLIC ${PROJECT_SOURCE_DIR}/tests/cuda_fake/include)
target_include_directories(leat_cuda_fake PUBLIC $<BUILD_INTERFACE:${LEAT_INCLUDE_DIR}>)
target_link_libraries(leat_cuda_fake PRIVATE fmt::fmt Threads::Threads)
leat_own_target(leat_cuda_fake)
# libnccl.so.2. A program of tests that is linked with it has it loaded when the NCCL backend opens the library. Its CUDA is the
# program's: it must not have devices of its own.
file(GLOB nccl_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cuda_fake/nccl/*.cpp)
add_library(leat_nccl_fake SHARED ${nccl_sources})
set_target_properties(leat_nccl_fake PROPERTIES OUTPUT_NAME nccl VERSION 2 SOVERSION 2
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/cuda_fake)
target_include_directories(leat_nccl_fake SYSTEM PRIVATE ${PROJECT_SOURCE_DIR}/tests/cuda_fake/include)
target_include_directories(leat_nccl_fake PRIVATE $<BUILD_INTERFACE:${LEAT_INCLUDE_DIR}>)
target_link_libraries(leat_nccl_fake PRIVATE fmt::fmt INTERFACE leat_cuda_fake)
leat_own_target(leat_nccl_fake)
if(LEAT_BUILD_TOOLS)
  add_library(leat_cublas_fake STATIC ${PROJECT_SOURCE_DIR}/tests/cuda_fake/blas/cublas.cpp)
  target_link_libraries(leat_cublas_fake PUBLIC leat_cuda_fake)
  leat_own_target(leat_cublas_fake)
endif()
file(GLOB kernel_sources ${PROJECT_SOURCE_DIR}/transfer/cuda/*.cu ${PROJECT_SOURCE_DIR}/tools/train/cuda/*.cu)
set_source_files_properties(${kernel_sources} PROPERTIES LANGUAGE CXX SKIP_PRECOMPILE_HEADERS ON
                            COMPILE_OPTIONS "-Wno-unknown-pragmas;-Wno-conversion;-Wno-unused-parameter;-ffp-contract=off")
