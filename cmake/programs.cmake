# What all programs share: how they read their command line, and how they are installed.
find_package(CLI11 REQUIRED)

# The sources that read the command line run once, and take 15 seconds each to optimize: CLI11 is all templates.
file(GLOB command_line_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/*/options.cpp)
set_source_files_properties(${command_line_sources} ${PROJECT_SOURCE_DIR}/tools/common/command_line.cpp
                            ${PROJECT_SOURCE_DIR}/tools/common/manual.cpp
                            PROPERTIES COMPILE_OPTIONS -O0 SKIP_PRECOMPILE_HEADERS ON)

add_library(leat_tools_common STATIC)
leat_sources(sources tools/common tools/synthetic)
target_sources(leat_tools_common PRIVATE ${sources})
target_link_libraries(leat_tools_common PUBLIC leat::parallel PRIVATE fmt::fmt CLI11::CLI11)
leat_own_target(leat_tools_common)

# leat_install_program(<name>): installs it with its man page and its completions for bash, zsh and fish, which the program
# itself writes after it is linked.
function(leat_install_program name)
  set(share ${PROJECT_BINARY_DIR}/share)
  set(man_page man/man1/${name}.1)
  set(bash bash-completion/completions/${name})
  set(zsh zsh/site-functions/_${name})
  set(fish fish/vendor_completions.d/${name}.fish)
  set_property(GLOBAL APPEND PROPERTY LEAT_PROGRAMS ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  add_custom_command(TARGET ${name} POST_BUILD COMMAND ${name} --generate-manual ${share} VERBATIM
                     BYPRODUCTS ${share}/${man_page} ${share}/${bash} ${share}/${zsh} ${share}/${fish})
  install(FILES ${share}/${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  foreach(completion ${bash} ${zsh} ${fish})
    get_filename_component(folder ${completion} DIRECTORY)
    install(FILES ${share}/${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
  endforeach()
endfunction()
