# What `cmake --install BUILD --prefix DIR` installs where, by component, and the archive that `cpack` makes of it:
#   sdk       include/tenon, lib/cmake/tenon, share/tenon/templates (sdk/CMakeLists.txt)
#   tenon     bin/tenon, lib/tenon with modules and plugins, share/tenon/manifests, loggers and launchers
#   libtorch  lib/libtorch, which the module of the reference executor finds relative to itself
#   docs      share/doc/tenon: the pages, and the files they link to, with the same relative paths as in the repository
#   core      lib/libtenon_core.a, include/tenon-core: the host as a library (core/CMakeLists.txt)
# No installed file contains the installation's path, so the folder may be moved.

option(TENON_INSTALL_LIBTORCH "Put the libraries of a libtorch without CUDA into an installation" ON)

function(tenon_install_folders)
  install(DIRECTORY bench/objectives/ DESTINATION lib/tenon/bench COMPONENT tenon)
  install(DIRECTORY manifests/ DESTINATION "${TENON_SHARED_DIR}/manifests" COMPONENT tenon
          FILES_MATCHING PATTERN "*.toml" PATTERN "*.xml" PATTERN "*.jsonl")
  install(DIRECTORY tools/loggers tools/launchers DESTINATION "${TENON_SHARED_DIR}" COMPONENT tenon PATTERN __pycache__ EXCLUDE)
endfunction()

# The files that the pages link to are next to them as in the repository, so that the same relative links work: plugins
# and templates to copy from, headers, manifests, the fixtures of docs/zoo.md. The tests package.docs and lint.links
# check all links.
function(tenon_install_docs)
  install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION share/doc/tenon COMPONENT docs)
  foreach(folder docs plugins plugin_api sdk manifests bench/manifests bench/objectives bench/online_decision core/tenon host/library tests/fixtures
                 tests/abi/released tools/loggers tools/launchers)
    get_filename_component(above "share/doc/tenon/${folder}" DIRECTORY)
    install(DIRECTORY ${folder} DESTINATION "${above}" COMPONENT docs
            PATTERN "*_test.cpp" EXCLUDE PATTERN golden EXCLUDE PATTERN "*.so" EXCLUDE PATTERN "*.safetensors" EXCLUDE
            PATTERN __pycache__ EXCLUDE)
  endforeach()
  install(FILES core/README.md DESTINATION share/doc/tenon/core COMPONENT docs)
  install(FILES tools/Dockerfile DESTINATION share/doc/tenon/tools COMPONENT docs)
  foreach(file core/run/sessions/session.hpp core/run/sessions/replay_buffer.hpp core/base/data/batch.hpp
               core/base/data/batch_shape.hpp core/base/data/batch_edit.hpp host/commands/shared/presets/preset.hpp tests/package/loop/buffer.cpp)
    cmake_path(GET file PARENT_PATH above)
    install(FILES ${file} DESTINATION "share/doc/tenon/${above}" COMPONENT docs)
  endforeach()
endfunction()

# The licences of libraries that are part of the program, if the system or .deps/ has them.
function(tenon_install_licences)
  foreach(package libboost1.81-dev libboost-dev libtomlplusplus-dev libspdlog-dev libfmt-dev)
    foreach(root "${PROJECT_SOURCE_DIR}/.deps/root/usr" /usr)
      if(EXISTS "${root}/share/doc/${package}/copyright")
        install(FILES "${root}/share/doc/${package}/copyright" DESTINATION share/doc/tenon/licences
                RENAME ${package} COMPONENT docs)
        break()
      endif()
    endforeach()
  endforeach()
endfunction()

# A libtorch with CUDA needs many other libraries; it is used from where it was when this was built.
function(tenon_install_libtorch)
  if(NOT TARGET tenon_torch OR NOT TENON_INSTALL_LIBTORCH OR EXISTS "${TENON_LIBTORCH_DIR}/lib/libtorch_cuda.so")
    return()
  endif()
  file(GLOB runtime "${TENON_LIBTORCH_DIR}/lib/libgomp*.so*")
  install(PROGRAMS "${TENON_LIBTORCH_DIR}/lib/libtorch_cpu.so" "${TENON_LIBTORCH_DIR}/lib/libc10.so" ${runtime}
          DESTINATION lib/libtorch/lib COMPONENT libtorch)
  file(GLOB licences "${TENON_LIBTORCH_DIR}/../torch-*.dist-info/licenses")
  foreach(folder IN LISTS licences)
    install(DIRECTORY "${folder}/" DESTINATION share/doc/tenon/licences/libtorch COMPONENT libtorch)
  endforeach()
  # In the build folder, the module finds libtorch in .deps/.
  install(CODE "file(RPATH_SET FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/tenon/libtenon_torch.so\"
                     NEW_RPATH \"\$ORIGIN/../libtorch/lib\")" COMPONENT tenon)
endfunction()

tenon_install_folders()
tenon_install_docs()
tenon_install_licences()
tenon_install_libtorch()

# `cpack --config BUILD/CPackConfig.cmake`: tenon-VERSION-linux-x86_64.tar.gz, everything but the core library.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME tenon)
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" machine)
set(CPACK_PACKAGE_FILE_NAME "tenon-${PROJECT_VERSION}-${machine}")
set(CPACK_COMPONENTS_ALL sdk tenon libtorch docs)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
