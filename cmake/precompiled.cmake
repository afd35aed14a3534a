# tenon_precompile(TARGET KIND): precompiles the headers that nearly every file of the target includes, in
# tenon_precompiled_<KIND>, which all targets of the KIND share: core, cold (parts of core that run once), plugin and cold_plugin (those
# that compute little), with the SDK's headers, tests, and plugin_tests, with both. Each has its own options. It makes a clean build a
# quarter shorter. Files still include what they use: clang-tidy compiles them without it.
#
# A third of their compile time, and half of a test's, would go into optimising what runs once.
set(tenon_cold_options "$<$<NOT:$<CONFIG:Debug>>:-Og>")
set(tenon_test_options -Og)
# Without this, CMake makes them system headers, ours as well, and there are no warnings about those.
set(CMAKE_PCH_PROLOGUE "")
set(tenon_common_headers <algorithm> <filesystem> <functional> <map> <memory> <optional> <string> <vector>)
set(tenon_plugin_headers <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <memory> <optional> <span> <string> <vector>
    <tenon/env.hpp> <tenon/objective.hpp> <tenon/plugin.hpp> <tenon/transform.hpp>)

function(tenon_precompile target kind)
  set(owner tenon_precompiled_${kind})
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${owner}.cpp" CONTENT "")
    add_library(${owner} OBJECT "${PROJECT_BINARY_DIR}/${owner}.cpp")
    target_compile_options(${owner} PRIVATE -fpch-preprocess)  # without it ccache keeps no results
    target_link_libraries(${owner} PRIVATE tenon_warnings)
    if(kind MATCHES "tests$")
      target_compile_options(${owner} PRIVATE ${tenon_test_options})
      target_link_libraries(${owner} PRIVATE third_party::catch2)
      set(headers ${tenon_common_headers})
      if(kind MATCHES "^plugin")
        target_link_libraries(${owner} PRIVATE tenon::sdk)
        list(APPEND headers ${tenon_plugin_headers})
        list(REMOVE_DUPLICATES headers)
      endif()
      target_precompile_headers(${owner} PRIVATE ${headers} "${PROJECT_SOURCE_DIR}/tests/support/catch.hpp")
    else()
      set_target_properties(${owner} PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
      if(kind MATCHES "^cold")
        target_compile_options(${owner} PRIVATE ${tenon_cold_options})
      endif()
      if(kind MATCHES "plugin$")
        target_link_libraries(${owner} PRIVATE tenon::sdk)
        target_compile_options(${owner} PRIVATE -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)  # as tenon_add_plugin has
        target_precompile_headers(${owner} PRIVATE ${tenon_plugin_headers})
      else()
        target_precompile_headers(${owner} PRIVATE ${tenon_common_headers})
      endif()
    endif()
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
