# The warnings of our own targets, all as errors. Third-party headers are SYSTEM headers.
add_library(tenon_warnings INTERFACE)
target_compile_options(tenon_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
