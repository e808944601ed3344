# The closing summary: what was found and what will be built.
message(STATUS "")
message(STATUS "leat ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
message(STATUS "  CUDA backend       ${LEAT_CUDA_FOUND}")
message(STATUS "  NCCL communicator  ${LEAT_NCCL_FOUND}")
message(STATUS "  Gloo communicator  ${LEAT_GLOO_FOUND}")
message(STATUS "  sanitizers         ${LEAT_SANITIZE}")
message(STATUS "  tools, bench, tests  ${LEAT_BUILD_TOOLS}, ${LEAT_BUILD_BENCH}, ${LEAT_BUILD_TESTS}")
message(STATUS "")
