# third_party::libtorch, only for core/engines/torch, if it was asked for. It is taken from the folder that tools/setup recorded (that of the pip wheel, or
# TENON_LIBTORCH). The wheel's own CMake package is not used: it requires a CUDA Toolkit if the wheel was built for
# CUDA, links everything, and takes longer than the rest of the configuration.
set(TENON_LIBTORCH "" CACHE PATH "A libtorch (folder with include/ and lib/) other than the one tools/setup noted")
set(tenon_libtorch "${TENON_LIBTORCH}")
file(GLOB note CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/.deps/libtorch.path")
if(NOT tenon_libtorch AND note)
  file(READ "${note}" tenon_libtorch)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${note}")
  get_filename_component(tenon_libtorch "${tenon_libtorch}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
endif()
if(NOT EXISTS "${tenon_libtorch}/lib/libtorch_cpu.so" OR NOT EXISTS "${tenon_libtorch}/include/ATen")
  if(tenon_libtorch)
    message(FATAL_ERROR "${tenon_libtorch} is no libtorch: it has no lib/libtorch_cpu.so and include/ATen.")
  endif()
  message(STATUS "The reference executor and the tests are left out: there is no libtorch; `tools/setup libtorch` brings it")
  file(STRINGS "${PROJECT_SOURCE_DIR}/tools/setup" TENON_LIBTORCH_VERSION REGEX "^torch_version=")
  string(REGEX MATCH "[0-9]+[.][0-9]+" TENON_LIBTORCH_VERSION "${TENON_LIBTORCH_VERSION}")
  return()
endif()

set(TENON_LIBTORCH_DIR "${tenon_libtorch}" CACHE INTERNAL "the libtorch that is built with")

file(STRINGS "${tenon_libtorch}/include/torch/headeronly/version.h" lines REGEX "define TORCH_VERSION_(MAJOR|MINOR) ")
string(REGEX REPLACE "[^0-9;]" "" lines "${lines}")
list(JOIN lines "." TENON_LIBTORCH_VERSION)
if(TENON_LIBTORCH_VERSION VERSION_LESS 2.11 OR TENON_LIBTORCH_VERSION VERSION_GREATER_EQUAL 2.14)
  message(FATAL_ERROR "libtorch ${TENON_LIBTORCH_VERSION} in ${tenon_libtorch}: versions 2.11 to 2.13 are supported.")
endif()

add_library(third_party::libtorch INTERFACE IMPORTED GLOBAL)
target_include_directories(third_party::libtorch INTERFACE
  "${tenon_libtorch}/include" "${tenon_libtorch}/include/torch/csrc/api/include")
target_link_libraries(third_party::libtorch INTERFACE "${tenon_libtorch}/lib/libtorch_cpu.so" "${tenon_libtorch}/lib/libc10.so")
# Its headers include those of the ops that they use, and ours include <ATen/ops/NAME.h>: <ATen/ATen.h>, with all ops, takes three
# seconds more in each batch.
target_compile_definitions(third_party::libtorch INTERFACE AT_PER_OPERATOR_HEADERS)
# The driver's API is ours; libtorch's headers include those of the runtime, which come with nvcc.
find_path(TENON_CUDA_RUNTIME cuda_runtime_api.h HINTS ENV CUDA_PATH PATH_SUFFIXES include
  PATHS /usr/local/cuda /usr/local/cuda-13.0 "${tenon_libtorch}/../nvidia/cu13" DOC "Headers of the CUDA runtime")
set(TENON_LIBTORCH_CUDA OFF)
if(EXISTS "${tenon_libtorch}/lib/libtorch_cuda.so")
  if(TENON_CUDA_RUNTIME)
    set(TENON_LIBTORCH_CUDA ON)
    target_include_directories(third_party::libtorch SYSTEM INTERFACE "${TENON_CUDA_RUNTIME}")
  else()
    message(STATUS "libtorch has CUDA, but there is no cuda_runtime_api.h: the reference executor computes on the CPU")
  endif()
  # It registers its kernels when it is loaded. Nothing refers to it, so --as-needed would drop it.
  target_link_libraries(third_party::libtorch INTERFACE
    "-Wl,--no-as-needed" "${tenon_libtorch}/lib/libtorch_cuda.so"
    "${tenon_libtorch}/lib/libc10_cuda.so" "-Wl,--as-needed")
endif()

# tenon_use_libtorch(TARGET): links libtorch and finds it at run time. If it is in .deps, the path is relative to the
# target, so that the file contains no path of this machine.
function(tenon_use_libtorch target)
  target_link_libraries(${target} PRIVATE third_party::libtorch)
  # Without this, ccache does not cache results that use a precompiled header.
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  set(library_dir "${tenon_libtorch}/lib")
  string(FIND "${library_dir}" "${PROJECT_SOURCE_DIR}/" inside)
  if(inside EQUAL 0)
    file(RELATIVE_PATH library_dir "${TENON_MODULE_DIR}" "${library_dir}")
    set(library_dir "$ORIGIN/${library_dir}")
  endif()
  # As "install" run path, because CMake would add the absolute folder to the other kind.
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${library_dir}")
endfunction()
