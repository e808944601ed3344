# cmake --install, and find_package(leat) for what was installed. Programs are installed where they are made
# (cmake/programs.cmake).
include(CMakePackageConfigHelpers)

set(LEAT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/leat)

install(FILES ${LEAT_INCLUDE_DIR}/leat.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${LEAT_INCLUDE_DIR}/leat/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/leat)
foreach(face IN LISTS LEAT_FACES)
  get_filename_component(folder ${face} DIRECTORY)
  install(FILES ${face} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/leat/${folder})
endforeach()
install(FILES ${LEAT_TORCH_FACE} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/leat)
install(FILES ${LEAT_TORCH_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/leat/torch)

# Programs, tests and benches use what is inside, so they link the archives in any case; users of a shared leat do not.
set(LEAT_LIBRARIES leat_leat)
if(NOT BUILD_SHARED_LIBS)
  list(APPEND LEAT_LIBRARIES leat_datasets leat_loader leat_transfer leat_parallel)
endif()
install(TARGETS ${LEAT_LIBRARIES} EXPORT leat-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT leat-targets NAMESPACE leat:: DESTINATION ${LEAT_PACKAGE_DIR})

# leat.pc, which finds its prefix from where it lies. The own libraries of archives are linked, too.
file(RELATIVE_PATH LEAT_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" LEAT_PREFIX_FROM_PC ${LEAT_PREFIX_FROM_PC})
set(LEAT_PC_REQUIRES "fmt libjpeg libpng libhwy zlib libzstd libisal")
set(LEAT_PC_LIBRARIES "-lleat_parallel -lleat_transfer -lleat_loader -lleat_datasets")
if(LEAT_GLOO_FOLDER STREQUAL "parallel/gloo")
  string(APPEND LEAT_PC_LIBRARIES " -lgloo")
endif()
if(LEAT_CUDA_FOLDER STREQUAL "transfer/cuda")
  string(APPEND LEAT_PC_LIBRARIES " -L${CUDAToolkit_LIBRARY_DIR} -lcudart -ldl")
endif()
if(BUILD_SHARED_LIBS)
  set(LEAT_PC_REQUIRES "")
  set(LEAT_PC_LIBRARIES -lleat)
endif()
set(LEAT_PC_FLAGS -pthread)
if(LEAT_SANITIZE)
  string(APPEND LEAT_PC_FLAGS " -fsanitize=${LEAT_SANITIZE}")
endif()
configure_file(cmake/leat.pc.in ${PROJECT_BINARY_DIR}/leat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/leat.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/leat-config.cmake.in ${PROJECT_BINARY_DIR}/leat-config.cmake
                              INSTALL_DESTINATION ${LEAT_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/leat-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/leat-config.cmake ${PROJECT_BINARY_DIR}/leat-config-version.cmake
        DESTINATION ${LEAT_PACKAGE_DIR})
