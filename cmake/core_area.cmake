# tenon_core_area(AREA [INTERFACE] [COLD] [MODULE] [ASKED_BY word...] [SOURCES file...] [LINKS area|target...] [PRIVATE_LINKS area|target...])
# One area of core/: the static library tenon_<AREA> from core/<AREA>, headers included as
# "<area>/file.hpp". A link without "::" is another area; a third-party library is "third_party::name"
# and belongs under PRIVATE_LINKS of its one owner. INTERFACE (or no SOURCES): headers only. COLD: nothing of it
# runs in a training loop, so it is compiled for a short build. MODULE: it is not part of the program, but of a module
# that the host loads. ASKED_BY: words of manifests and commands that ask for this kind (cmake/kinds.cmake). `./tenon` leaves it out
# until one does (cmake/only.cmake).
function(tenon_core_area area)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERFACE;COLD;MODULE" "" "ASKED_BY;SOURCES;LINKS;PRIVATE_LINKS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_core_area(${area}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  tenon_link_names(links ${arg_LINKS})
  tenon_link_names(private_links ${arg_PRIVATE_LINKS})
  set(target tenon_${area})
  if(NOT arg_SOURCES)
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}/core")
    target_link_libraries(${target} INTERFACE tenon_plugin_api ${links})
  else()
    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/core")
    target_link_libraries(${target} PUBLIC tenon_plugin_api ${links}
                                    PRIVATE tenon_warnings ${private_links})
    set_target_properties(${target} PROPERTIES
      POSITION_INDEPENDENT_CODE ON  # also linked into the modules that the host loads
      CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON)
    if(arg_COLD)
      target_compile_options(${target} PRIVATE ${tenon_cold_options})
      tenon_precompile(${target} cold)
    else()
      tenon_precompile(${target} core)
    endif()
    tenon_batch(${target} 16)
    if(TENON_ONLY AND arg_ASKED_BY AND NOT area IN_LIST TENON_ONLY AND NOT "kinds" IN_LIST TENON_ONLY)
      set_property(GLOBAL APPEND PROPERTY TENON_LEFT_OUT ${area})
    elseif(NOT arg_MODULE)
      set_property(GLOBAL APPEND PROPERTY TENON_COMPILED_AREAS ${target})
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY TENON_AREA_LINKS ${links} ${private_links})
endfunction()

# tenon_link_names(RESULT name...): the target of each name: "graph" is the area tenon_graph.
function(tenon_link_names result)
  set(targets "")
  foreach(name IN LISTS ARGN)
    if(TARGET ${name} AND NOT TARGET tenon_${name})
      list(APPEND targets ${name})
    elseif(name MATCHES "::|^tenon_")
      list(APPEND targets ${name})
    else()
      list(APPEND targets tenon_${name})  # an area comes before a plugin of its name
    endif()
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# Otherwise a misspelt area would only cause a linker error, "cannot find -ltenon_...".
function(tenon_check_area_links)
  get_property(links GLOBAL PROPERTY TENON_AREA_LINKS)
  foreach(link IN LISTS links)
    if(NOT TARGET ${link})
      message(FATAL_ERROR "An area of core/ links ${link}, but no such area or library exists.")
    endif()
  endforeach()
endfunction()
