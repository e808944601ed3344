# The programs of examples/, which tests run. They are not installed.
if(LEAT_CUDA_FOLDER STREQUAL "transfer/cuda")
  add_executable(graph_replay ${PROJECT_SOURCE_DIR}/examples/cuda/graph_replay.cpp)
  if(LEAT_CUDA STREQUAL "FAKE")
    target_link_libraries(graph_replay PRIVATE leat::leat leat_cuda_fake)
  else()
    target_link_libraries(graph_replay PRIVATE leat::leat CUDA::cudart)
  endif()
  leat_own_target(graph_replay)
  add_test(NAME "gpu: the example that replays CUDA graphs" COMMAND graph_replay)
  set_tests_properties("gpu: the example that replays CUDA graphs"
                       PROPERTIES LABELS gpu TIMEOUT 120 SKIP_REGULAR_EXPRESSION "there is no GPU")
endif()
