# One static library per folder.
#
#   dflash_add_library(NAME SOURCES a.cpp ... HEADERS a.h ... PUBLIC libs PRIVATE libs [TORCH])
#
# makes `dflash_NAME` with the alias `dflash::NAME`. Headers belong to the target, so that each is checked to compile alone
# (CMAKE_VERIFY_INTERFACE_HEADER_SETS). TORCH reuses the one precompiled ATen header, others that of the JSON library.

function(dflash_add_library name)
  cmake_parse_arguments(arg "TORCH" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  add_library(dflash_${name} STATIC ${arg_SOURCES})
  add_library(dflash::${name} ALIAS dflash_${name})
  set_target_properties(dflash_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY DFLASH_LIBRARIES dflash_${name})
  target_sources(dflash_${name} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${arg_HEADERS})
  target_link_libraries(dflash_${name} PUBLIC ${arg_PUBLIC} PRIVATE dflash::warnings ${arg_PRIVATE})
  if(arg_TORCH)
    target_link_libraries(dflash_${name} PUBLIC LibTorch::cpu)
    dflash_use_torch_pch(dflash_${name})
  else()
    target_link_libraries(dflash_${name} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)  # the macros it was made with
    target_precompile_headers(dflash_${name} REUSE_FROM dflash_json_pch)
  endif()
endfunction()

# A precompiled header is only used where every flag and macro is the same, so all users take it from one place.
file(WRITE "${PROJECT_BINARY_DIR}/torch_pch.cpp" "")
add_library(dflash_json_pch OBJECT "${PROJECT_BINARY_DIR}/torch_pch.cpp")
target_link_libraries(dflash_json_pch PUBLIC fmt::fmt nlohmann_json::nlohmann_json PRIVATE dflash::warnings)
target_precompile_headers(dflash_json_pch PRIVATE "${PROJECT_SOURCE_DIR}/cmake/json_pch.h")

add_library(dflash_torch_pch OBJECT "${PROJECT_BINARY_DIR}/torch_pch.cpp")
target_link_libraries(dflash_torch_pch PUBLIC LibTorch::headers fmt::fmt PRIVATE dflash::warnings)
target_precompile_headers(dflash_torch_pch PRIVATE "${PROJECT_SOURCE_DIR}/cmake/torch_pch.h")

function(dflash_use_torch_pch target)
  target_precompile_headers(${target} REUSE_FROM dflash_torch_pch)
endfunction()

# Lets plugins use what is linked into a program. Only what is ours: every weak symbol of a template in the program would be looked at
# for every library that is loaded, and be taken by it in place of its own.
function(dflash_export_symbols target)
  set(list "${PROJECT_SOURCE_DIR}/cmake/plugin_symbols.txt")
  target_link_options(${target} PRIVATE "-Wl,--dynamic-list=${list}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${list}")
endfunction()
