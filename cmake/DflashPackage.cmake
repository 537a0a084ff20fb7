# Lets other projects find this build tree: find_package(dflash-graph) with -Ddflash-graph_DIR=build/release.

include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY DFLASH_LIBRARIES)
export(TARGETS ${libraries} dflash_warnings NAMESPACE dflash:: FILE "${PROJECT_BINARY_DIR}/dflash-graph-targets.cmake")
configure_file("${PROJECT_SOURCE_DIR}/cmake/dflash-graph-config.cmake.in" "${PROJECT_BINARY_DIR}/dflash-graph-config.cmake" @ONLY)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dflash-graph-config-version.cmake" COMPATIBILITY ExactVersion)
