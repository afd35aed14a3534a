# tenon_add_plugin(NAME source...): builds the plugin NAME.so from C++20 or C sources; it exports only its entry. NAME
# is also the target, for further settings: target_link_libraries(NAME PRIVATE ...). If the program `tenon` is found
# (or TENON_PROGRAM names it), `ctest` checks the plugin: check.NAME.
#
# tenon_add_plugin(NAME source... TENON_TARGET 0.1), or the variable TENON_TARGET: hosts with that plugin ABI (see
# `tenon --version`) and all later ones can run the plugin. The use of newer features is then a compile error. Without
# it the plugin needs the ABI of the SDK that it is built with.
function(tenon_add_plugin name)
  set(map "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tenon_plugin.map")
  cmake_parse_arguments(PARSE_ARGV 1 plugin "" "TENON_TARGET" "")
  if(NOT DEFINED plugin_TENON_TARGET)
    set(plugin_TENON_TARGET "${TENON_TARGET}")
  endif()
  add_library(${name} MODULE ${plugin_UNPARSED_ARGUMENTS})
  if(plugin_TENON_TARGET MATCHES "^([0-9]+)\\.([0-9]+)$")
    target_compile_definitions(${name} PRIVATE TN_TARGET_MAJOR=${CMAKE_MATCH_1} TN_TARGET_MINOR=${CMAKE_MATCH_2})
  elseif(NOT plugin_TENON_TARGET STREQUAL "")
    message(FATAL_ERROR "${name}: TENON_TARGET must be a plugin ABI such as 0.1, not '${plugin_TENON_TARGET}'")
  endif()
  target_link_libraries(${name} PRIVATE tenon::sdk)
  # A project with one language may not set the standard of the other.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(standard c_std_11 cxx_std_20)
    string(TOUPPER "${standard}" language)
    string(REGEX REPLACE "_.*" "" language "${language}")
    if(language IN_LIST languages)
      target_compile_features(${name} PRIVATE ${standard})
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    C_EXTENSIONS OFF
    CXX_EXTENSIONS OFF
    LINK_DEPENDS "${map}")
  # A graph's messages name the author's file and headers of the SDK, and debug information names the build folder.
  # This removes the parent folders from these paths. The SDK's own tree does this itself.
  set(short_paths)
  get_target_property(is_imported tenon::sdk IMPORTED)
  if(is_imported)
    set(short_paths "-ffile-prefix-map=${CMAKE_BINARY_DIR}=build")
    foreach(part tenon::sdk tenon::plugin_api)
      get_target_property(folders ${part} INTERFACE_INCLUDE_DIRECTORIES)
      foreach(folder IN LISTS folders)
        list(APPEND short_paths "-ffile-prefix-map=${folder}/=tenon-sdk/")
      endforeach()
    endforeach()
  endif()
  target_compile_options(${name} PRIVATE
    ${short_paths}
    "-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=${name}/"
    # Which products and sums become one instruction depends on inlining, and so would the bits.
    -ffp-contract=off
    # Unique symbols are shared by all libraries of a process, whatever their visibility.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE
    "LINKER:--version-script=${map}"
    "LINKER:--exclude-libs,ALL"
    # Symbols of a sanitizer are only in the program.
    "LINKER:-z,$<IF:$<BOOL:${TENON_SANITIZE}>,undefs,defs>"
    "LINKER:-z,now"
    # Linking with -ffast-math makes loading the plugin change how the whole host treats subnormal numbers.
    -fno-fast-math -fno-unsafe-math-optimizations)
  if(TENON_PROGRAM)
    # A graph is checked as wired by the manifest next to it.
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/manifest.toml")
      set(manifest --manifest "${CMAKE_CURRENT_SOURCE_DIR}/manifest.toml")
    endif()
    add_test(NAME check.${name} COMMAND "${TENON_PROGRAM}" check "$<TARGET_FILE:${name}>" ${manifest})
  endif()
endfunction()
