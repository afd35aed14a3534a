# Finds our dependencies, first in .deps/ (filled by tools/setup) and then on the system, and names all missing ones in
# one message. Nothing is downloaded here. Each library is a target third_party::name, imported so that its headers are
# SYSTEM headers, and has one owner (tools/check_includes.py).
list(PREPEND CMAKE_PREFIX_PATH "${PROJECT_SOURCE_DIR}/.deps/root/usr")
set(tenon_places "${PROJECT_SOURCE_DIR}/.deps/root/prefix_path.txt")
if(EXISTS "${tenon_places}")  # what CMAKE_PREFIX_PATH named when tools/setup found all on the system
  file(STRINGS "${tenon_places}" tenon_places)
  list(APPEND CMAKE_PREFIX_PATH ${tenon_places})
endif()
set(tenon_missing "")

function(tenon_third_party name)
  add_library(third_party::${name} INTERFACE IMPORTED GLOBAL)
  if(ARGN)
    target_link_libraries(third_party::${name} INTERFACE ${ARGN})
  endif()
endfunction()

# Boost: of the libraries we use, only Program_options has a compiled part, which is linked statically.
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 QUIET CONFIG COMPONENTS program_options)
if(Boost_FOUND)
  tenon_third_party(boost Boost::headers)
  target_compile_definitions(third_party::boost INTERFACE BOOST_DLL_USE_STD_FS)
  tenon_third_party(program_options Boost::program_options)
else()
  list(APPEND tenon_missing "Boost 1.81 with Program_options (libboost1.81-dev libboost-program-options1.81-dev)")
endif()

# toml++ is used header-only: its shared library would be another run-time dependency.
find_path(TENON_TOML_INCLUDE_DIR toml++/toml.h)
if(TENON_TOML_INCLUDE_DIR)
  tenon_third_party(toml)
  target_include_directories(third_party::toml INTERFACE "${TENON_TOML_INCLUDE_DIR}")
else()
  list(APPEND tenon_missing "toml++ 3 (libtomlplusplus-dev)")
endif()

# spdlog's own header-only target links the shared fmt; ours uses fmt as headers as well.
find_package(fmt 9 QUIET CONFIG)
find_package(spdlog 1.10 QUIET CONFIG)
if(spdlog_FOUND AND TARGET fmt::fmt-header-only)
  tenon_third_party(spdlog fmt::fmt-header-only)
  get_target_property(include_dir spdlog::spdlog_header_only INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(third_party::spdlog INTERFACE ${include_dir})
  target_compile_definitions(third_party::spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
else()
  list(APPEND tenon_missing "spdlog 1.10 with fmt 9 (libspdlog-dev libfmt-dev)")
endif()

# Its run-time name is linked, which needs no development package where the installed library is used.
find_path(TENON_ZLIB_INCLUDE_DIR zlib.h)
set(tenon_zlib "-Wl,--push-state,--as-needed,-l:libz.so.1,--pop-state")
if(TENON_ZLIB_INCLUDE_DIR)
  tenon_third_party(zlib "${tenon_zlib}")
  target_include_directories(third_party::zlib INTERFACE "${TENON_ZLIB_INCLUDE_DIR}")
else()
  list(APPEND tenon_missing "zlib (zlib1g-dev)")
endif()

find_package(Catch2 3 QUIET CONFIG)
if(Catch2_FOUND)
  tenon_third_party(catch2 Catch2::Catch2WithMain)
else()
  list(APPEND tenon_missing "Catch2 3 (libcatch2-dev, in the backports)")
endif()

# The interpreter itself: where python3 is a script that chooses one, as pyenv's is, each test would run that first.
if(NOT DEFINED Python3_EXECUTABLE)
  execute_process(COMMAND python3 -c "import sys; sys.version_info >= (3, 9) and print(sys.executable)"
                  OUTPUT_VARIABLE interpreter OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(interpreter AND NOT failed)
    set(Python3_EXECUTABLE "${interpreter}")
  endif()
endif()
find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  list(APPEND tenon_missing "Python 3.9 or newer (python3)")
endif()
find_package(Threads REQUIRED)

if(tenon_missing)
  list(JOIN tenon_missing ", " tenon_missing)
  if(TENON_PROBE_DEPENDENCIES)
    file(WRITE "${PROJECT_BINARY_DIR}/missing.txt" "${tenon_missing}")  # tools/setup reads it
  endif()
  message(FATAL_ERROR "Missing on this machine: ${tenon_missing}; delete .deps and run tools/setup, which downloads them if apt-get works.")
endif()
if(NOT TENON_PROBE_DEPENDENCIES)
  include(libtorch)
endif()
