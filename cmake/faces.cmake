# The public headers. A header that lies directly in a room is the room's face; what lies in a folder of it is inside, and
# neither installed nor included by a face.
set(LEAT_ROOMS loader datasets transfer parallel)
file(GLOB LEAT_FACES RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/loader/*.h
     ${PROJECT_SOURCE_DIR}/datasets/*.h ${PROJECT_SOURCE_DIR}/transfer/*.h ${PROJECT_SOURCE_DIR}/parallel/*.h)
list(SORT LEAT_FACES)

# In the build tree they have the paths that they have where leat is installed: <leat/loader/data_loader.h> by a link to the
# room; <leat.h> and <leat/version.h> are written here.
set(LEAT_INCLUDE_DIR ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${LEAT_INCLUDE_DIR}/leat)
foreach(room IN LISTS LEAT_ROOMS)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${room} ${LEAT_INCLUDE_DIR}/leat/${room} SYMBOLIC)
endforeach()
list(TRANSFORM LEAT_FACES REPLACE "(.+)" "#include \"leat/\\1\"" OUTPUT_VARIABLE includes)
list(JOIN includes "\n" LEAT_INCLUDES)
configure_file(cmake/leat.h.in ${LEAT_INCLUDE_DIR}/leat.h @ONLY)
configure_file(cmake/version.h.in ${LEAT_INCLUDE_DIR}/leat/version.h @ONLY)
