# Tests mirror the tree: a/b/c.cpp has tests/a/b/c_test.cpp. One program per tested library.
#
#   dflash_add_test(NAME SOURCES c_test.cpp ... LIBRARIES dflash::b ... [TORCH] [LABELS unit])

# Most of what a test is compiled for is GoogleMock, the JSON library and LibTorch.
file(WRITE "${PROJECT_BINARY_DIR}/test_pch.cpp" "")
foreach(kind test torch_test)
  add_library(dflash_${kind}_pch OBJECT "${PROJECT_BINARY_DIR}/test_pch.cpp")
  target_link_libraries(dflash_${kind}_pch PRIVATE GTest::gmock nlohmann_json::nlohmann_json dflash::warnings)
  target_compile_options(dflash_${kind}_pch PRIVATE $<$<CONFIG:Release>:-O0>)
  target_precompile_headers(dflash_${kind}_pch PRIVATE "${PROJECT_SOURCE_DIR}/cmake/${kind}_pch.h")
endforeach()
target_link_libraries(dflash_torch_test_pch PRIVATE fmt::fmt LibTorch::headers)

function(dflash_add_test name)
  cmake_parse_arguments(arg "TORCH" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} dflash::warnings GTest::gmock GTest::gtest_main rapidcheck)
  target_compile_definitions(${name} PRIVATE DFLASH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  # A test's own code is compiled longer than it runs.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  if(arg_TORCH)
    target_link_libraries(${name} PRIVATE LibTorch::program)
    target_precompile_headers(${name} REUSE_FROM dflash_torch_test_pch)
  else()
    target_precompile_headers(${name} REUSE_FROM dflash_test_pch)
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  # Properties are tried on the same values each time; a program run by hand draws others, and prints the seed where it fails.
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" ENVIRONMENT "RC_PARAMS=seed=1")
endfunction()
