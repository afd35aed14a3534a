# tenon_precompile(TARGET KIND): precompiles the headers that nearly every file of the target includes, in
# tenon_precompiled_<KIND>, which all targets of the KIND share. Each KIND has its own options:
#   core, cold                parts of core, and those that run once: standard headers
#   command                   commands, which run once: with the headers of their options, which take 0.8 s
#   plugin, cold_plugin       plugins, and those that compute little: with the SDK's headers
#   tests, plugin_tests       tests, and those with the SDK's headers
# It makes a clean build a quarter shorter. Files still include what they use: clang-tidy compiles them without it.
#
# A third of their compile time, and half of a test's, would go into optimising what runs once.
set(tenon_cold_options "$<$<NOT:$<CONFIG:Debug>>:-Og>")
set(tenon_test_options -Og)
# Without this, CMake makes them system headers, ours as well, and there are no warnings about those.
set(CMAKE_PCH_PROLOGUE "")
set(tenon_common_headers <algorithm> <atomic> <cassert> <charconv> <chrono> <cmath> <cstring> <filesystem> <functional> <map> <memory> <numeric> <optional>
    <set> <span> <string> <thread> <variant> <vector>)
set(tenon_command_headers <iostream> "${PROJECT_SOURCE_DIR}/host/command_line.hpp" <boost/program_options.hpp>)
set(tenon_plugin_headers <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <memory> <optional> <span> <string> <vector>
    <tenon/env.hpp> <tenon/objective.hpp> <tenon/plugin.hpp> <tenon/transform.hpp>)
set(tenon_test_headers <deque> <fstream> <random> "${PROJECT_SOURCE_DIR}/tests/support/catch.hpp")

function(tenon_precompile target kind)
  if(kind STREQUAL "command" AND TENON_ONLY)
    set(kind cold)  # few commands are built, and their headers take as long as they save there
  endif()
  set(owner tenon_precompiled_${kind})
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${owner}.cpp" CONTENT "")
    add_library(${owner} OBJECT "${PROJECT_BINARY_DIR}/${owner}.cpp")
    target_compile_options(${owner} PRIVATE -fpch-preprocess)  # without it ccache keeps no results
    target_link_libraries(${owner} PRIVATE tenon_warnings)
    set(headers ${tenon_common_headers})
    if(kind MATCHES "plugin$")
      set(headers ${tenon_plugin_headers})
    endif()
    if(kind MATCHES "plugin")
      target_link_libraries(${owner} PRIVATE tenon::sdk)
    endif()
    if(kind MATCHES "tests$")
      target_compile_options(${owner} PRIVATE ${tenon_test_options})
      target_link_libraries(${owner} PRIVATE third_party::catch2)
      if(kind STREQUAL "plugin_tests")
        list(APPEND headers ${tenon_plugin_headers})
      endif()
      list(APPEND headers ${tenon_test_headers})
    else()
      set_target_properties(${owner} PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
      if(kind MATCHES "cold|command")
        target_compile_options(${owner} PRIVATE ${tenon_cold_options})
      endif()
      if(kind MATCHES "plugin$")
        target_compile_options(${owner} PRIVATE -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)  # as tenon_add_plugin has
      elseif(kind STREQUAL "command")
        target_include_directories(${owner} PRIVATE "${PROJECT_SOURCE_DIR}/core" "${PROJECT_SOURCE_DIR}/host")
        target_link_libraries(${owner} PRIVATE third_party::program_options)
        list(APPEND headers ${tenon_command_headers})
      endif()
    endif()
    list(REMOVE_DUPLICATES headers)
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

# tenon_cold_plugin(TARGET): a plugin that computes little is compiled for a short build.
function(tenon_cold_plugin target)
  target_compile_options(${target} PRIVATE ${tenon_cold_options})
  tenon_precompile_plugin(${target} cold_plugin)
endfunction()

# tenon_precompile_plugin(TARGET KIND): with precompiled headers if it is in C++. What `./tenon` builds at first has so few plugins that to
# precompile the headers would take longer. Another ABI (TENON_TARGET), or kernels for GPUs, define words that change the headers, and
# -O3 changes what the compiler defines.
function(tenon_precompile_plugin target kind)
  get_target_property(sources ${target} SOURCES)
  get_target_property(definitions ${target} COMPILE_DEFINITIONS)
  get_target_property(options ${target} COMPILE_OPTIONS)
  if(NOT TENON_ONLY AND NOT sources MATCHES "[.]c(;|$)" AND NOT definitions MATCHES "TENON_HAS_CUDA_KERNELS|TN_TARGET_" AND NOT options MATCHES "-O3")
    tenon_precompile(${target} ${kind})
  endif()
endfunction()
