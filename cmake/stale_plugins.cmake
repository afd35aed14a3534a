# tenon_remove_stale_plugins(TARGET...): removes plugins from the build folder whose source folder was deleted or whose
# target was renamed. It only removes files that an earlier configuration made, because people put their own files next
# to the plugins.
function(tenon_remove_stale_plugins)
  set(list "${PROJECT_BINARY_DIR}/plugins_made.txt")
  set(made "")
  if(EXISTS "${list}")
    file(STRINGS "${list}" made)
  endif()
  list(REMOVE_ITEM made ${ARGN})
  foreach(name IN LISTS made)
    if(EXISTS "${TENON_PLUGIN_DIR}/${name}.so")
      message(STATUS "Removing ${name}.so, which no plugin folder builds any more")
      file(REMOVE "${TENON_PLUGIN_DIR}/${name}.so")
    endif()
  endforeach()
  list(JOIN ARGN "\n" lines)
  file(WRITE "${list}" "${lines}\n")
endfunction()
