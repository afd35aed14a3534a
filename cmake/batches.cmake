# tenon_batch(TARGET SIZE): compiles that many files of the target at a time as one, because most of a file's
# compilation is the headers that it shares with its neighbours. A batch should take only some seconds, because
# changing one file recompiles its batch. Files with their own options are compiled separately. File-local names must
# differ from those of other files of the target. The preset dev compiles file by file, and so does `tools/lint --each`;
# tools/check_declared.py reads whether each file includes what it uses.
option(TENON_BATCHES "Compile several files of an area at a time" ON)

function(tenon_batch target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TENON_BATCHES} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()
