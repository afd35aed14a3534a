# The layout of build/<preset>, which is that of an installation:
#   bin/tenon   lib/tenon/plugins/*.so   lib/tenon/*.so (modules of the host)   lib/tenon/tenon-worker   lib/cmake/tenon
#   share/tenon   tests/
# The program finds its files relative to bin/, so these names are fixed; cmake/install.cmake says what is installed.
set(TENON_BINARY_DIR "${PROJECT_BINARY_DIR}/bin")
set(TENON_MODULE_DIR "${PROJECT_BINARY_DIR}/lib/tenon")
set(TENON_PLUGIN_DIR "${PROJECT_BINARY_DIR}/lib/tenon/plugins")
set(TENON_TEST_DIR "${PROJECT_BINARY_DIR}/tests")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${TENON_BINARY_DIR}")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${TENON_MODULE_DIR}")

set(TENON_SHARED_DIR share/tenon)
set(TENON_PACKAGE_DIR "${PROJECT_BINARY_DIR}/lib/cmake/tenon")

# Manifests for `tenon bench objective NAME`, templates for `tenon new`, presets for `tenon run ALGORITHM ENV`.
file(MAKE_DIRECTORY "${TENON_MODULE_DIR}" "${PROJECT_BINARY_DIR}/${TENON_SHARED_DIR}")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/bench/objectives" "${TENON_MODULE_DIR}/bench" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/sdk/templates" "${PROJECT_BINARY_DIR}/${TENON_SHARED_DIR}/templates" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/manifests" "${PROJECT_BINARY_DIR}/${TENON_SHARED_DIR}/manifests" SYMBOLIC)
# For `tenon completion` where a clone has built few commands; an installation has all.
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/docs/commands.md" "${PROJECT_BINARY_DIR}/${TENON_SHARED_DIR}/commands.md" SYMBOLIC)

# No file contains a path of the build machine: no message, debug information or run path.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
file(RELATIVE_PATH source_from_build "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
add_compile_options("-ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/"
                    "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
                    "-ffile-prefix-map=${source_from_build}=")  # as ccache.in names it

include(stale_plugins)

include("${CMAKE_CURRENT_LIST_DIR}/batches.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/precompiled.cmake")

# Every folder plugins/<kind>/<name> with a CMakeLists.txt is a plugin; no other file needs to change. Our warnings are
# added here, because authors elsewhere choose their own. Losses and policies describe graphs, once; the host computes them.
# So they are compiled for a short build, unless the target has the property TENON_HOT, and so is a target that has TENON_COLD.
function(tenon_add_plugin_folders)
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${TENON_PLUGIN_DIR}")
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${TENON_TEST_DIR}")
  file(GLOB lists CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/plugins/*/*/CMakeLists.txt")
  foreach(list IN LISTS lists)
    get_filename_component(folder "${list}" DIRECTORY)
    add_subdirectory("${folder}")
    tenon_targets_below("${folder}" targets)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type MATCHES "LIBRARY|EXECUTABLE" AND NOT type STREQUAL "INTERFACE_LIBRARY")
        target_link_libraries(${target} PRIVATE tenon_warnings)
      endif()
      if(type STREQUAL "STATIC_LIBRARY")  # what several plugins share
        tenon_precompile_plugin(${target} plugin)
      elseif(type STREQUAL "MODULE_LIBRARY")
        tenon_batch(${target} 4)
        get_target_property(hot ${target} TENON_HOT)
        get_target_property(cold ${target} TENON_COLD)
        if(cold OR (folder MATCHES "/(losses|policies)/" AND NOT hot))
          tenon_cold_plugin(${target})
        else()
          tenon_precompile_plugin(${target} plugin)
        endif()
        install(TARGETS ${target} LIBRARY DESTINATION lib/tenon/plugins COMPONENT tenon)
        tenon_install_run_path(${target})
        list(APPEND plugins ${target})
      endif()
    endforeach()
  endforeach()
  tenon_remove_stale_plugins(${plugins})
endfunction()

# A plugin whose libraries are elsewhere in an installation names their folder, relative to $ORIGIN, in its property
# TENON_INSTALLED_RUN_PATH. (CMake's own change of the run path leaves an empty entry in the one of the build folder.)
function(tenon_install_run_path target)
  get_target_property(run_path ${target} TENON_INSTALLED_RUN_PATH)
  if(run_path)
    install(CODE "file(RPATH_SET FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/tenon/plugins/${target}.so\"
                       NEW_RPATH \"\$ORIGIN/${run_path}\")" COMPONENT tenon)
  endif()
endfunction()

# tenon_targets_below(FOLDER RESULT): every target of FOLDER and of the folders that it adds.
function(tenon_targets_below folder result)
  get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(children DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(child IN LISTS children)
    tenon_targets_below("${child}" below)
    list(APPEND targets ${below})
  endforeach()
  set(${result} ${targets} PARENT_SCOPE)
endfunction()

# tenon_program: everything that the commands of `./tenon` need. tenon_run_all: additionally what `tenon bench` needs.
function(tenon_add_run_target)
  add_custom_target(tenon_program)
  add_custom_target(tenon_run_all)
  add_dependencies(tenon_program tenon tenon-worker)
  add_dependencies(tenon_run_all tenon_program tenon-bench-abi)
  get_property(folders DIRECTORY "${PROJECT_SOURCE_DIR}" PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    if(folder MATCHES "^${PROJECT_SOURCE_DIR}/(plugins/|core$)")
      set(all tenon_program)
    elseif(folder MATCHES "^${PROJECT_SOURCE_DIR}/bench/")
      set(all tenon_run_all)
    else()
      continue()
    endif()
    tenon_targets_below("${folder}" targets)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type MATCHES "^(MODULE|SHARED)_LIBRARY$")
        add_dependencies(${all} ${target})
      endif()
    endforeach()
  endforeach()
endfunction()
