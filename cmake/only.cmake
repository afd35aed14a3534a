# What `./tenon` builds at first: the file only.txt in the build folder names the commands that were asked for, and the kinds of
# sources, storages and recordings (as `source_pool`, or "kinds" for all), and has the word "kernels" if kernels for GPUs were. A
# build folder without that file builds everything. Each later command adds what it needs (tools/shell/needs.sh).
set(TENON_ONLY "")
file(GLOB tenon_only CONFIGURE_DEPENDS "${PROJECT_BINARY_DIR}/only.txt")
if(tenon_only)
  file(STRINGS "${tenon_only}" TENON_ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${tenon_only}")
  if(NOT "kernels" IN_LIST TENON_ONLY)
    set(TENON_KERNELS OFF)  # for tenon_add_kernels
  endif()
endif()
