# Stages in shared libraries.
#
#   dflash_add_plugin(NAME SOURCES a.cpp ... [TORCH])
#   dflash_add_plugin_test(NAME SOURCES a_test.cpp ... [PLUGIN plugin])
#
# make NAME.so for `dflash-graph --plugin`, and a GoogleTest program for its stages; PLUGIN: of this plugin's sources. TORCH: the
# sources include headers with tensors. Both are used in this tree, and through find_package(dflash-graph).

# What a plugin and its test are compiled with: this tree's headers and those that they include. The versions of what tensors come from
# are told to framework/core/plugin.h.
function(dflash_compile_plugin_sources target torch)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE $<$<CONFIG:>:-O2>)  # no build type was chosen
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..")
  if(torch)
    target_link_libraries(${target} PRIVATE LibTorch::headers)
    target_compile_options(${target} PRIVATE "SHELL:-include torch/headeronly/version.h" -DDFLASH_LIBTORCH_VERSION=TORCH_VERSION)
    if(DFLASH_CUDA_ENABLED)
      target_compile_options(${target} PRIVATE "-DDFLASH_CUDA_VERSION=\"${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR}\"")
    endif()
  endif()
  target_link_libraries(${target} PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
endfunction()

function(dflash_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "SOURCES")
  add_library(${name} MODULE ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" CXX_EXTENSIONS OFF)
  dflash_compile_plugin_sources(${name} "${arg_TORCH}")
  # What a plugin does not have, framework and LibTorch, is the program's. What it has is its own: a class of a name that the program
  # has too, such as a copy of a stage to begin with, would be the program's otherwise.
  target_link_options(${name} PRIVATE -Wl,-Bsymbolic)
endfunction()

function(dflash_add_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "PLUGIN" "SOURCES")
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  if(arg_PLUGIN)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${arg_PLUGIN}>)
  endif()
  dflash_compile_plugin_sources(${name} "${arg_TORCH}")
  target_link_libraries(${name} PRIVATE dflash::stages LibTorch::program GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
