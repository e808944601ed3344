# leat-run, leat-sweep, leat-train and leat-convert, and the libraries that hold all of them but their main functions (the tests link those).
# OpenBLAS: Debian keeps each flavor in a folder of its own. OpenMP's is preferred: it is safe for several threads, and
# starts none of its own before it is asked to. pthread's starts some when it is loaded, so before the loader forks;
# the serial one is not safe for several threads, so leat-train computes one product at a time with it.
find_library(LEAT_OPENBLAS_LIBRARY openblas HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
             PATH_SUFFIXES openblas-openmp openblas-pthread openblas-serial REQUIRED)
find_path(LEAT_CBLAS_INCLUDE_DIR cblas.h HINTS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
          PATH_SUFFIXES openblas-openmp openblas-pthread openblas-serial openblas REQUIRED)

# leat_tool(<name> FOLDERS <folder>... [LIBRARIES <library>...]): the program leat-<name> from main.cpp of the first
# folder, and the static library leat_tools_<name> of everything else there.
function(leat_tool name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;LIBRARIES")
  leat_sources(sources ${arg_FOLDERS})
  list(GET arg_FOLDERS 0 folder)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${folder}/main.cpp)
  add_library(leat_tools_${name} STATIC ${sources})
  target_link_libraries(leat_tools_${name} PUBLIC leat_tools_common PRIVATE fmt::fmt CLI11::CLI11
                        nlohmann_json::nlohmann_json ${arg_LIBRARIES})
  leat_own_target(leat_tools_${name})
  leat_precompile(leat_tools_${name})
  leat_program(leat-${name} SOURCES ${PROJECT_SOURCE_DIR}/${folder}/main.cpp LIBRARIES leat_tools_${name})
  leat_install_program(leat-${name})
endfunction()

set(train_folders tools/train tools/train/no_cuda)
set(train_cuda_libraries "")
if(LEAT_CUDA_FOLDER STREQUAL "transfer/cuda")
  set(train_folders tools/train tools/train/cuda)
  if(TARGET leat_cublas_fake)
    target_include_directories(leat_cublas_fake PRIVATE ${LEAT_CBLAS_INCLUDE_DIR})
    target_link_libraries(leat_cublas_fake PRIVATE ${LEAT_OPENBLAS_LIBRARY})
  endif()
  set(train_cuda_libraries ${LEAT_CUDA_LIBRARIES} ${LEAT_BLAS_OF_CUDA})
endif()
leat_tool(train FOLDERS ${train_folders} LIBRARIES ${LEAT_OPENBLAS_LIBRARY} ${train_cuda_libraries})
target_include_directories(leat_tools_train PRIVATE ${LEAT_CBLAS_INCLUDE_DIR})
leat_tool(run FOLDERS tools/run)
leat_tool(sweep FOLDERS tools/sweep)
find_package(TBB REQUIRED)
leat_tool(convert FOLDERS tools/convert LIBRARIES TBB::tbb)
# g++ 12 vectorizes loops at -O3 only.
set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/train/host_math.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                            COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-O3>)
