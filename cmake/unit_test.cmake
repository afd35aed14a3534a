# tenon_unit_test(NAME SOURCES file... [LINKS area|target...] [LABELS label...])
# One test program test_<NAME>, linked with the area of that name if there is one; each TEST_CASE is
# the ctest "<NAME>.<test case>" with the label unit. Cases tagged [slow] or [gpu] get that label
# instead and stay out of the default run. Sources include "support/catch.hpp", never Catch2 itself.
include(Catch)

function(tenon_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;LABELS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_unit_test(${name}): not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  # A test that stands in no list would never run, and nobody would miss it.
  file(GLOB tests CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp")
  list(REMOVE_ITEM tests ${arg_SOURCES})
  if(tests)
    message(FATAL_ERROR "tenon_unit_test(${name}): SOURCES lacks ${tests}")
  endif()
  set(target test_${name})
  add_executable(${target} ${arg_SOURCES})
  tenon_link_names(links ${arg_LINKS})
  if(TARGET tenon_${name})
    list(PREPEND links tenon_${name})
  endif()
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${target} PRIVATE ${links} third_party::catch2 tenon_warnings)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${TENON_TEST_DIR}")
  tenon_precompile(${target} tests)
  # Listed when ctest starts, not after each link: builds stay quick.
  foreach(kind unit slow gpu)
    set(spec "[${kind}]~[!benchmark]")
    if(kind STREQUAL "unit")
      set(spec "~[slow]~[gpu]~[!benchmark]")
    endif()
    catch_discover_tests(${target} TEST_SPEC "${spec}" TEST_PREFIX "${name}."
      DISCOVERY_MODE PRE_TEST TEST_LIST ${target}_${kind} PROPERTIES LABELS "${kind};${arg_LABELS}")
  endforeach()
endfunction()
