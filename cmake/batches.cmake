# tenon_batch(TARGET SIZE): compiles so many files of the target at a time, as one. Most of a file's compilation is the
# headers that it shares with its neighbours. A batch may take some seconds, for that is what a changed file takes.
# Files with options of their own stay alone. Names of a file's own must be unlike those of other files of the target.
# The presets dev and asan compile file by file, and so does clang-tidy, which sees that each includes what it uses.
option(TENON_BATCHES "Compile several files of an area at a time" ON)

function(tenon_batch target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TENON_BATCHES} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()
