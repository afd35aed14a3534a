# TENON_SANITIZE="address;undefined" or "thread": applies to everything that we compile, including plugins, so that a
# report names the line in a plugin as well. Set by the presets asan and tsan. libtorch itself is not instrumented; the
# module that uses it builds and runs under both (seen with libtorch 2.13 and gcc 12).
set(TENON_SANITIZE "" CACHE STRING "Sanitizers to build with, as gcc's -fsanitize takes them")
if(TENON_SANITIZE)
  list(JOIN TENON_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  # With sanitizers gcc gives false warnings about uninitialised values (as its manual says) and unallocated memory,
  # and about fences in libtorch's headers.
  add_compile_options("$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-free-nonheap-object;-Wno-tsan>")
  if("undefined" IN_LIST TENON_SANITIZE)
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# libFuzzer only traces code that was compiled for it: all of ours, not only the targets of tests/fuzz.
option(TENON_FUZZ "Build the fuzz targets with libFuzzer (Clang)" OFF)
if(TENON_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "TENON_FUZZ needs Clang, which contains libFuzzer; fuzz_replay builds with any compiler")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
