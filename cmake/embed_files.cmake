# Writes the source that DflashEmbed.cmake speaks of. Bytes as numbers: no text can break out of them.

string(REPLACE "|" ";" files "${FILES}")
set(arrays "")
set(choices "")
set(number 0)
foreach(file IN LISTS files)
  file(READ "${file}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  file(SIZE "${file}" size)
  # A literal of many short ones: compilers are quick with them, and slow with lists of numbers.
  string(REGEX REPLACE "(................................................................................)" "\\1\"\n    \"" bytes "${bytes}")
  get_filename_component(name "${file}" NAME)
  string(APPEND arrays "constexpr std::string_view kFile${number}{\n    \"${bytes}\",\n    ${size}};\n")
  string(APPEND choices "  if (name == \"${name}\") {\n    return kFile${number};\n  }\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by cmake/embed_files.cmake.
#include \"${HEADER}\"

#include \"framework/core/error.h\"

namespace dflash {
namespace {

${arrays}
}  // namespace

std::string_view ${FUNCTION}(std::string_view name) {
${choices}  throw InternalError(fmt::format(\"no file '{}' is in the program\", name));
}

}  // namespace dflash
")
