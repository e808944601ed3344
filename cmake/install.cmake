# cmake --install, and find_package(leat) for what was installed. Programs are installed where they are made
# (cmake/programs.cmake).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(LEAT_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/leat)
set(LEAT_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/leat)

configure_file(cmake/leat.h.in ${PROJECT_BINARY_DIR}/include/leat.h COPYONLY)
install(FILES ${PROJECT_BINARY_DIR}/include/leat.h DESTINATION ${LEAT_INCLUDE_DIR})
foreach(folder loader datasets transfer parallel)
  install(DIRECTORY ${folder} DESTINATION ${LEAT_INCLUDE_DIR} FILES_MATCHING PATTERN "*.h"
          REGEX "/(cuda|gloo|nccl|no_cuda|no_gloo|no_nccl)$" EXCLUDE)
endforeach()

set(LEAT_LIBRARIES leat_leat leat_base leat_datasets leat_loader leat_transfer leat_parallel)
foreach(library base datasets loader transfer parallel)
  target_include_directories(leat_${library} INTERFACE $<INSTALL_INTERFACE:${LEAT_INCLUDE_DIR}>)
endforeach()
install(TARGETS ${LEAT_LIBRARIES} EXPORT leat-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT leat-targets NAMESPACE leat:: DESTINATION ${LEAT_PACKAGE_DIR})

configure_package_config_file(cmake/leat-config.cmake.in ${PROJECT_BINARY_DIR}/leat-config.cmake
                              INSTALL_DESTINATION ${LEAT_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/leat-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/leat-config.cmake ${PROJECT_BINARY_DIR}/leat-config-version.cmake
        DESTINATION ${LEAT_PACKAGE_DIR})
