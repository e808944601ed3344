# cmake -DBUILD=<leat's build folder> -DWORK=<scratch folder> -DSOURCE=<this folder> -DCOMPILER=<c++>
#       -DWITHOUT=<backends that leat was built without, with commas>
#       -DTORCH=<whether leat::torch is there>
#       -DPROGRAMS=<those that were built, with commas> -DALL_PROGRAMS=<whether that is all there are> -P run.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}")
  endif()
endfunction()

set(without "")
string(REPLACE "," ";" backends "${WITHOUT}")
foreach(backend IN LISTS backends)
  list(APPEND without -DWITHOUT_${backend}=ON)
endforeach()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release ${without})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)

# The same program by pkg-config. CMake sets PKG_CONFIG_PATH from CMAKE_PREFIX_PATH.
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/by-pkg-config -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DFIND_BY=pkg-config)
run(${CMAKE_COMMAND} --build ${WORK}/by-pkg-config)
run(${WORK}/by-pkg-config/consumer)

# And in the build of the program, where it is compiled, but not linked: that would build leat anew.
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/by-subdirectory -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER} -DLEAT_CUDA=OFF
    -DFIND_BY=${SOURCE}/../..)
run(${CMAKE_COMMAND} --build ${WORK}/by-subdirectory --target CMakeFiles/consumer.dir/main.cpp.o)

# The examples for LibTorch, which find the component torch. Those of torch_parallel learn in a second.
if(TORCH)
  foreach(example torch_cifar torch_parallel)
    run(${CMAKE_COMMAND} -S ${SOURCE}/../../examples/${example} -B ${WORK}/${example} -G Ninja
        -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${COMPILER})
    run(${CMAKE_COMMAND} --build ${WORK}/${example})
  endforeach()
  foreach(program torch_data_parallel torch_pipeline torch_mixed_placement)
    execute_process(COMMAND ${WORK}/torch_parallel/${program} RESULT_VARIABLE result OUTPUT_VARIABLE output)
    if(NOT result EQUAL 0 OR NOT output MATCHES "step 500: loss 0[.]0")
      message(FATAL_ERROR "${program} failed (${result}), or has not learned: ${output}")
    endif()
  endforeach()
endif()

# Programs, each with its man page and its completions.
string(REPLACE "," ";" programs "${PROGRAMS}")
foreach(program IN LISTS programs)
  run(${WORK}/prefix/bin/${program} --version)
  foreach(file man/man1/${program}.1 bash-completion/completions/${program} zsh/site-functions/_${program}
          fish/vendor_completions.d/${program}.fish)
    file(READ ${WORK}/prefix/share/${file} text)
    string(TOLOWER "${text}" text)  # a man page's title is in capitals
    if(NOT text MATCHES "${program}")
      message(FATAL_ERROR "share/${file} does not name ${program}")
    endif()
  endforeach()
endforeach()
if(ALL_PROGRAMS)
  file(READ ${SOURCE}/../../README.md readme)
  string(REGEX MATCHALL "\n[|] `leat-[a-z-]+" rows "${readme}")
  list(TRANSFORM rows REPLACE "\n[|] `" "")
  list(SORT rows)
  list(SORT programs)
  if(NOT rows STREQUAL programs)
    message(FATAL_ERROR "README.md's table names ${rows}; installed are ${programs}")
  endif()
endif()
