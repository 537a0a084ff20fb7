# Imported targets for LibTorch, as the PyPI wheel carries it.
#
#   LibTorch::cpu      libtorch_cpu and libc10; at load time also libcudart and libcupti, which the wheel's libtorch_cpu needs
#   LibTorch::cuda     the same plus libtorch_cuda and libc10_cuda (only where the CUDA back end is built)
#   LibTorch::program  what programs link: all back ends of this build
#
# The wheel's own TorchConfig.cmake insists on a CUDA toolkit; a CPU build needs none.

if(NOT LIBTORCH_DIR)
  if(DEFINED ENV{DFLASH_CACHE})
    set(dflash_cache "$ENV{DFLASH_CACHE}")
  else()
    set(dflash_cache "$ENV{HOME}/.cache/dflash-graph")
  endif()
  set(libtorch_dir "${dflash_cache}/libtorch-2.11.0/torch")
else()
  set(libtorch_dir "${LIBTORCH_DIR}")
endif()
if(NOT EXISTS "${libtorch_dir}/include/ATen/core/Tensor.h")
  message(FATAL_ERROR "LibTorch not found in ${libtorch_dir}. Run scripts/setup.sh, or pass -DLIBTORCH_DIR=/path/to/libtorch.")
endif()
message(STATUS "LibTorch: ${libtorch_dir}")

set(libtorch_load_dirs "${libtorch_dir}/lib" "${libtorch_dir}/../nvidia/cu13/lib" "/usr/local/cuda/lib64")

# The wheel carries headers of a newer fmt, without its library. Ours come first, so that there is one fmt in the program and its
# code is not compiled anew in every source.
find_path(dflash_fmt_include fmt/format.h REQUIRED NO_CACHE)
set(dflash_fmt_first "${PROJECT_BINARY_DIR}/fmt_first")
file(MAKE_DIRECTORY "${dflash_fmt_first}")
file(CREATE_LINK "${dflash_fmt_include}/fmt" "${dflash_fmt_first}/fmt" SYMBOLIC)

add_library(LibTorch::headers INTERFACE IMPORTED)
set_target_properties(LibTorch::headers PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${dflash_fmt_first};${libtorch_dir}/include;${libtorch_dir}/include/torch/csrc/api/include")

add_library(LibTorch::cpu INTERFACE IMPORTED)
target_link_libraries(LibTorch::cpu INTERFACE
  LibTorch::headers "${libtorch_dir}/lib/libtorch_cpu.so" "${libtorch_dir}/lib/libc10.so")
target_link_options(LibTorch::cpu INTERFACE -Wl,--allow-shlib-undefined)
foreach(dir IN LISTS libtorch_load_dirs)
  target_link_options(LibTorch::cpu INTERFACE -Wl,-rpath,${dir})
endforeach()

if(DFLASH_CUDA_ENABLED)
  add_library(LibTorch::cuda INTERFACE IMPORTED)
  # libtorch_cuda registers the CUDA back end by being loaded, so the linker must not drop it.
  target_link_libraries(LibTorch::cuda INTERFACE LibTorch::cpu CUDA::cudart
    -Wl,--push-state,--no-as-needed "${libtorch_dir}/lib/libtorch_cuda.so" "${libtorch_dir}/lib/libc10_cuda.so" -Wl,--pop-state)
endif()

add_library(LibTorch::program INTERFACE IMPORTED)
target_link_libraries(LibTorch::program INTERFACE $<IF:$<BOOL:${DFLASH_CUDA_ENABLED}>,LibTorch::cuda,LibTorch::cpu>)
