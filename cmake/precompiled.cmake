# tenon_precompile(TARGET KIND): precompiles the standard headers that nearly every file of the target includes, in
# tenon_precompiled_<KIND>, which all targets of the KIND share: core, cold (parts of core that run once), or tests. Each has
# its own options. It makes a clean build a quarter shorter. Files still include what they use: clang-tidy compiles them without it.
#
# A third of their compile time, and half of a test's, would go into optimising what runs once.
set(tenon_cold_options "$<$<NOT:$<CONFIG:Debug>>:-Og>")
set(tenon_test_options -Og)
set(tenon_common_headers <algorithm> <filesystem> <functional> <map> <memory> <optional> <string> <vector>)

function(tenon_precompile target kind)
  set(owner tenon_precompiled_${kind})
  if(NOT TARGET ${owner})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${owner}.cpp" CONTENT "")
    add_library(${owner} OBJECT "${PROJECT_BINARY_DIR}/${owner}.cpp")
    target_compile_options(${owner} PRIVATE -fpch-preprocess)  # without it ccache keeps no results
    target_link_libraries(${owner} PRIVATE tenon_warnings)
    target_precompile_headers(${owner} PRIVATE ${tenon_common_headers})
    if(kind MATCHES "core|cold")
      set_target_properties(${owner} PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
      if(kind STREQUAL "cold")
        target_compile_options(${owner} PRIVATE ${tenon_cold_options})
      endif()
    else()
      target_compile_options(${owner} PRIVATE ${tenon_test_options})
      target_link_libraries(${owner} PRIVATE third_party::catch2)
      target_precompile_headers(${owner} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/catch.hpp")
    endif()
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
