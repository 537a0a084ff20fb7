# Imported targets for the libraries that text handling needs. Debian: libpcre2-dev libutf8proc-dev libxxhash-dev liblzma-dev.
#
#   Text::pcre2  Text::utf8proc  Text::xxhash  Text::lzma

function(dflash_find_text_library name header library package)
  find_path(${name}_INCLUDE_DIR ${header})
  find_library(${name}_LIBRARY ${library})
  if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
    message(FATAL_ERROR "${library} (${header}) not found. Run scripts/setup.sh, or install ${package}.")
  endif()
  mark_as_advanced(${name}_INCLUDE_DIR ${name}_LIBRARY)
  add_library(Text::${name} INTERFACE IMPORTED GLOBAL)
  set_target_properties(Text::${name} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${${name}_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES "${${name}_LIBRARY}")
endfunction()

dflash_find_text_library(pcre2 pcre2.h pcre2-8 libpcre2-dev)
dflash_find_text_library(utf8proc utf8proc.h utf8proc libutf8proc-dev)
dflash_find_text_library(xxhash xxhash.h xxhash libxxhash-dev)
dflash_find_text_library(lzma lzma.h lzma liblzma-dev)
