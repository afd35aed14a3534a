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
  # This removes the parent folders from these paths. The SDK's own tree does this itself. A compiler cache gives the compiler
  # paths that are relative to the build folder.
  set(short_paths "-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=${name}/")
  file(RELATIVE_PATH from_build "${CMAKE_BINARY_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  if(from_build)
    string(REGEX REPLACE "([^/])$" "\\1/" from_build "${from_build}")
    list(APPEND short_paths "-ffile-prefix-map=${from_build}=${name}/")
  endif()
  get_target_property(is_imported tenon::sdk IMPORTED)
  if(is_imported)
    list(PREPEND short_paths "-ffile-prefix-map=${CMAKE_BINARY_DIR}=build")
    foreach(part tenon::sdk tenon::plugin_api)
      get_target_property(folders ${part} INTERFACE_INCLUDE_DIRECTORIES)
      foreach(folder IN LISTS folders)
        list(APPEND short_paths "-ffile-prefix-map=${folder}/=tenon-sdk/")
      endforeach()
    endforeach()
  endif()
  target_compile_options(${name} PRIVATE
    ${short_paths}
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

# tenon_add_kernels(NAME kernels.cu kernels.cpp): nvcc makes kernels for GPUs of kernels.cu, which kernels.cpp, a source of
# the plugin NAME, contains (tenon/device_image.hpp). Where there is no nvcc the plugin has kernels for the emulated device
# only, and so does -DTENON_KERNELS=OFF. Products and sums stay two instructions, as on the CPU. The code for sm_100 is made
# from that for sm_90, which saves a quarter of nvcc's time.
function(tenon_add_kernels name kernels file)
  # The words of CUDA that it defines are none in other files.
  set_source_files_properties("${file}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(DEFINED TENON_KERNELS AND NOT TENON_KERNELS)
    return()
  endif()
  find_program(TENON_NVCC nvcc HINTS ENV CUDA_PATH PATH_SUFFIXES bin
               DOC "NVIDIA's compiler; without it plugins have no kernels for GPUs")
  if(NOT TENON_NVCC)
    get_property(is_said GLOBAL PROPERTY TENON_SAID_NO_NVCC)
    if(NOT is_said)
      set_property(GLOBAL PROPERTY TENON_SAID_NO_NVCC ON)
      message(STATUS "There is no nvcc: plugins get no kernels for GPUs (run.device = \"cuda\")")
    endif()
    return()
  endif()
  set(image "${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin")
  set(folders "$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>")
  add_custom_command(OUTPUT "${image}"
    COMMAND "${TENON_NVCC}" -fatbin -std=c++20 -fmad=false --expt-relaxed-constexpr -ccbin "${CMAKE_CXX_COMPILER}"
            "$<$<BOOL:${folders}>:-I$<JOIN:${folders},;-I>>"
            -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
            -gencode arch=compute_90,code=sm_100 -gencode arch=compute_90,code=compute_90
            -MD -MT "${image}" -MF "${image}.d" -o "${image}" "${CMAKE_CURRENT_SOURCE_DIR}/${kernels}"
    MAIN_DEPENDENCY "${CMAKE_CURRENT_SOURCE_DIR}/${kernels}" DEPFILE "${image}.d"
    COMMENT "Compiling kernels of ${name}" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name}_kernels DEPENDS "${image}")
  set_target_properties(${name}_kernels PROPERTIES IMAGE "${image}")
  add_dependencies(${name} ${name}_kernels)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "MODULE_LIBRARY")
    target_compile_definitions(${name} PRIVATE TENON_HAS_CUDA_KERNELS)  # for the plugin's note
  endif()
  # Of this folder alone: a test that has the same source has no kernels for GPUs.
  set_source_files_properties("${file}" PROPERTIES OBJECT_DEPENDS "${image}"
                              COMPILE_DEFINITIONS "TENON_KERNELS_FILE=\"${image}\"")
endfunction()
