# The compiler collects its garbage a few times in every file, which takes a tenth of the time and frees what the file would need
# again: it is told to use up to a gigabyte first. No file of ours needs as much.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:$<$<COMPILE_LANGUAGE:C,CXX>:--param ggc-min-heapsize=1000000>")
endif()

# An archive in the build folder names its object files and does not contain them, which is less to write and to keep. What is installed
# contains them (tenon_whole_archives).
set(tenon_archive_create "${CMAKE_CXX_ARCHIVE_CREATE}")
set(tenon_archive_finish "${CMAKE_CXX_ARCHIVE_FINISH}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> qcT <TARGET> <LINK_FLAGS> <OBJECTS>")
  set(CMAKE_CXX_ARCHIVE_FINISH "")
endif()

# tenon_whole_archives(): for the targets of this folder, after its subfolders have been added.
macro(tenon_whole_archives)
  set(CMAKE_CXX_ARCHIVE_CREATE "${tenon_archive_create}")
  set(CMAKE_CXX_ARCHIVE_FINISH "${tenon_archive_finish}")
endmacro()

# mold and ccache, from the system or from .deps; without them the build is only slower.
set(tenon_tools "${PROJECT_SOURCE_DIR}/.deps/root/usr")

find_program(TENON_MOLD NAMES mold HINTS "${tenon_tools}/bin")
if(TENON_MOLD)
  get_filename_component(mold_dir "${TENON_MOLD}" DIRECTORY)
  add_link_options("-B${mold_dir}" -fuse-ld=mold)  # -B: gcc looks for ld.mold in that folder
endif()

find_program(TENON_CCACHE NAMES ccache HINTS "${tenon_tools}/bin")
if(TENON_CCACHE)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/ccache.in" "${PROJECT_BINARY_DIR}/ccache" @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  execute_process(COMMAND "${PROJECT_BINARY_DIR}/ccache" --version
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    foreach(language C CXX)
      set(CMAKE_${language}_COMPILER_LAUNCHER "${PROJECT_BINARY_DIR}/ccache")
    endforeach()
  endif()
endif()
