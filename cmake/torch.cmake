# leat::torch, the headers for LibTorch (transfer/torch/), which are <leat/torch.h> and <leat/torch/...>. They are installed in any
# case; the target, the tests and the example are built where LibTorch is found. Nothing else of leat uses LibTorch.
file(GLOB LEAT_TORCH_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/transfer/torch/*.h)
list(REMOVE_ITEM LEAT_TORCH_HEADERS ${PROJECT_SOURCE_DIR}/transfer/torch/torch.h)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/transfer/torch ${LEAT_INCLUDE_DIR}/leat/torch SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/transfer/torch/torch.h ${LEAT_INCLUDE_DIR}/leat/torch.h SYMBOLIC)

# Sets <found>, <version>, <libraries> and <includes>. A function, because LibTorch's package sets many variables, and says much.
function(leat_find_torch found version libraries includes)
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)
  find_package(Torch QUIET)
  set(${found} ${Torch_FOUND} PARENT_SCOPE)
  set(${version} ${Torch_VERSION} PARENT_SCOPE)
  set(${libraries} ${TORCH_LIBRARIES} PARENT_SCOPE)
  set(${includes} ${TORCH_INCLUDE_DIRS} PARENT_SCOPE)
endfunction()

set(LEAT_TORCH_FOUND "no (${LEAT_TORCH})")
if(LEAT_TORCH)
  leat_find_torch(torch_found torch_version torch_libraries torch_includes)
  if(torch_found)
    set(LEAT_TORCH_FOUND "yes, ${torch_version}")
    find_path(LEAT_TORCH_API torch/data.h HINTS ${torch_includes})
    mark_as_advanced(LEAT_TORCH_API)
    add_library(leat_torch INTERFACE)
    add_library(leat::torch ALIAS leat_torch)
    target_link_libraries(leat_torch INTERFACE leat::leat ${torch_libraries})
  elseif(NOT LEAT_TORCH STREQUAL "AUTO")
    message(FATAL_ERROR "LEAT_TORCH is ON, but LibTorch was not found (Debian: libtorch-dev; or set Torch_DIR)")
  endif()
endif()

if(TARGET leat::torch AND LEAT_BUILD_TOOLS)
  add_subdirectory(examples/torch_cifar EXCLUDE_FROM_ALL)  # it takes a minute to compile
endif()
