# tenon_precompile(TARGET KIND): the target reads the standard headers that nearly every file includes precompiled, from
# tenon_precompiled_<KIND>, which all targets of the KIND share: core, or tests, which are compiled otherwise. A clean
# build is a quarter shorter for it. Files still include what they use: clang-tidy compiles them without.
#
# The optimiser spends half of a test's compilation on assertions that run once.
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
    if(kind STREQUAL "core")
      set_target_properties(${owner} PROPERTIES
        POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    else()
      target_compile_options(${owner} PRIVATE ${tenon_test_options})
      target_link_libraries(${owner} PRIVATE third_party::catch2)
      target_precompile_headers(${owner} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/catch.hpp")
    endif()
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
