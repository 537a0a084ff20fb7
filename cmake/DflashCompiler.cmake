# Warnings, sanitizers, compiler cache and linker: everything about the compiler that is not a dependency.

add_library(dflash_warnings INTERFACE)
add_library(dflash::warnings ALIAS dflash_warnings)
set_target_properties(dflash_warnings PROPERTIES EXPORT_NAME warnings)
# Designated initialisers name what differs from the default, which GCC 12 takes for an omission; its -Wrestrict misfires on
# std::string's operator+ (GCC bug 105651).
target_compile_options(dflash_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Winvalid-pch -Wno-missing-field-initializers>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${DFLASH_WERROR}>>:-Werror>)

# The heavy work is done in LibTorch and oneTBB, so the third level brings nothing but longer builds.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

if(DFLASH_SANITIZE)
  # With what the sanitizers put in, GCC 12 sees uninitialised members in <regex> and <functional>.
  target_compile_options(dflash_warnings INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${DFLASH_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=${DFLASH_SANITIZE})
endif()

# Fuzzers see which branches an input takes; whatever a sanitizer reports ends them.
if(DFLASH_FUZZ)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link> $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
endif()

find_program(DFLASH_CCACHE ccache)
if(DFLASH_CCACHE)
  # The sloppiness settings are what ccache asks for with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 ${DFLASH_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

find_program(DFLASH_MOLD mold)
if(DFLASH_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
