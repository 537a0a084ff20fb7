# Files inside the program.
#
#   dflash_embed(LIBRARY HEADER FUNCTION files...)
#
# adds to a library the source of `std::string_view dflash::FUNCTION(std::string_view name)`, which HEADER declares and which
# returns the bytes of the file of that name. It is made when a file has changed.

set(dflash_embed_script "${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake")

function(dflash_embed library header function)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  set(files "")
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND files "${file}")
  endforeach()
  string(REPLACE ";" "|" listed "${files}")
  add_custom_command(OUTPUT "${source}"
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${source}" "-DHEADER=${header}" "-DFUNCTION=${function}" "-DFILES=${listed}"
            -P "${dflash_embed_script}"
    DEPENDS ${files} "${dflash_embed_script}" VERBATIM)
  target_sources(dflash_${library} PRIVATE "${source}")
endfunction()
