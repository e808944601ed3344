# leat_compile_options(<target>): warnings and sanitizers of the project's own code.
function(leat_compile_options target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wconversion;-Wno-sign-conversion>
    # Faster here than as checks of clang-tidy's.
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wzero-as-null-pointer-constant;-Wsuggest-override>
    # g++ 12 reports overlaps and uninitialized members inside its own std::string and std::vector (GCC bug 105651 and
    # its kin); clang and clang-tidy look for the real ones.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict;-Wno-maybe-uninitialized>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${LEAT_WERROR}>>:-Werror>)
  if(LEAT_SANITIZE)
    # PUBLIC: a program is sanitized whole or not at all.
    target_compile_options(${target} PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${LEAT_SANITIZE};-fno-omit-frame-pointer>)
    target_link_options(${target} PUBLIC -fsanitize=${LEAT_SANITIZE})
    if(LEAT_SANITIZE MATCHES "undefined")
      target_compile_options(${target} PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined>)
    endif()
  endif()
endfunction()

# leat_precompile(<target> [<header>...]): compiles what most sources include once. The optimized libraries do without, so that
# each of their files is seen to include what it uses.
function(leat_precompile target)
  if(PROJECT_IS_TOP_LEVEL)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <chrono> <cstdint> <cstring> <filesystem>
      <functional> <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread> <utility> <variant> <vector>
      <fmt/format.h> ${ARGN})
    # As ccache wants it; what it overlooks then, tools/test.sh says.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
      "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

# leat_sources(<variable> <folder>...): every source file that lies directly in the folders.
function(leat_sources variable)
  set(found "")
  foreach(folder IN LISTS ARGN)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp ${PROJECT_SOURCE_DIR}/${folder}/*.cu)
    list(APPEND found ${files})
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# leat_library(<name> FOLDERS <folder>... [PUBLIC <library>...] [PRIVATE <library>...])
# makes leat::<name>, an archive. Its headers, and those of the libraries below it, are included as users include them:
# #include "leat/loader/data_loader.h".
function(leat_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;PUBLIC;PRIVATE")
  leat_sources(sources ${arg_FOLDERS})
  add_library(leat_${name} STATIC ${sources})
  add_library(leat::${name} ALIAS leat_${name})
  # Names are exported by LEAT_EXPORT alone, of a shared libleat and of shared libraries that contain leat.
  set_target_properties(leat_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
                        CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(leat_${name} PUBLIC
    $<BUILD_INTERFACE:${LEAT_INCLUDE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(leat_${name} PUBLIC cxx_std_20)
  target_link_libraries(leat_${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  leat_compile_options(leat_${name})
  if(LEAT_SANITIZE)
    leat_precompile(leat_${name})
  endif()
endfunction()

# leat_own_target(<target>): the options of the project's own code, for what is not installed. Headers of bench/, tests/ and tools/
# are included by their paths from the project's root: #include "tools/common/command_line.h".
function(leat_own_target target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  leat_compile_options(${target})
endfunction()

# leat_program(<name> FOLDERS <folder>... LIBRARIES <library>...)
function(leat_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS;SOURCES;LIBRARIES")
  leat_sources(sources ${arg_FOLDERS})
  add_executable(${name} ${sources} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  leat_own_target(${name})
endfunction()
