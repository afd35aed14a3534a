# Configures and builds a preset quietly: one updated line on a terminal, a few lines elsewhere, and the tools' own
# output only on failure. The calling script sets root, deps and again (see say.sh); build_preset needs program, too.

# build PRESET [TARGET...]; without targets everything.
build() {
    local preset=$1 folder=$root/build/$1
    shift
    use_brought_tools
    [[ -d $folder ]] || mkdir -p -- "$folder"
    exec 8>"$folder/lock"
    if ! flock -n 8; then
        say "another command of this clone is building $preset; waiting for it"
        flock 8
    fi
    # The build folder of a moved clone is full of its old paths.
    if [[ -e $folder/clone && $(<"$folder/clone") != "$root" ]]; then
        find "$folder" -mindepth 1 -maxdepth 1 ! -name lock -exec rm -rf -- {} +
    fi
    (($# > 0)) || rm -f -- "$folder/only.txt" # what alone is built (build_only)
    [[ -e $folder/clone && -e $folder/build.ninja ]] || configure "$preset" "$folder"
    if ! ninja -C "$folder" "$@" 2>&1 </dev/null | show_progress "$folder/build.log"; then
        # From ninja's output, only what the failing commands printed.
        awk '/^\[[0-9]+\/[0-9]+\]/ { show = 0 } show && !command; { command = 0 }
             /^FAILED: / { show = command = 1 } /^ninja: error/' "$folder/build.log" >&2
        please_repeat "building failed (the whole output is in build/$preset/build.log)"
    fi
    exec 8>&-
}

# build_only PRESET NAME...: adds the names to what alone this folder builds (cmake/only.cmake), unless it builds everything.
build_only() {
    local folder=$root/build/$1 name
    shift
    [[ ! -e $folder/build.ninja || -e $folder/only.txt ]] || return 0
    mkdir -p -- "$folder"
    for name; do
        grep -qxF -- "$name" "$folder/only.txt" 2>/dev/null || printf '%s\n' "$name" >>"$folder/only.txt"
    done
}

# build_needed PRESET: the program and the plugins that find_needs has found.
build_needed() {
    local targets=(tenon tenon-worker "${needs_targets[@]}")
    [[ ! -e $deps/libtorch.path ]] || targets+=(tenon_torch)
    build "$1" "${targets[@]}"
}

# build_preset PRESET: the plugins of the manifest that `tenon init` writes for preset_words. If some are not built yet, the problems
# that it reports instead name them.
build_preset() {
    local text
    ((${#preset_words[@]})) || return 0
    text=$("$program" init "${preset_words[@]}" 2>&1) || true # a real problem is reported by the command itself
    mapfile -t needs_targets < <(needed_plugins "$text")
    build_needed "$1"
}

configure() {
    local preset=$1 folder=$2
    # An interrupted first configuration leaves a permanently broken cache.
    [[ -e $folder/clone ]] || rm -rf -- "$folder/CMakeCache.txt" "$folder/CMakeFiles"
    say "configuring build/$preset"
    if ! (cd -- "$root" && cmake --preset "$preset") >"$folder/configure.log" 2>&1 </dev/null; then
        # From the first error of CMake.
        awk '/^CMake (Error|Warning)/ { show = 1 } show' "$folder/configure.log" >&2
        please_repeat "configuring failed (the whole output is in build/$preset/configure.log)"
    fi
    printf '%s' "$root" >"$folder/clone"
}

# Writes ninja's output to LOG and shows the progress: steps, their share and the estimated remaining time.
show_progress() {
    local line shown='' tenth done all said start=$SECONDS
    while IFS= read -r line; do
        printf '%s\n' "$line" >&7
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] && $line != *'Re-checking globbed'* ]] || continue
        done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
        said="building, $done of $all ($((done * 100 / all)) %)"
        ((SECONDS - start < 5 || done == all)) || said+=", about $(((SECONDS - start) * (all - done) / done)) s left"
        if [[ -t 2 ]]; then
            printf '\rtenon: %s\033[K' "$said" >&2
            shown=line
        elif tenth=$((all < 10 ? 0 : done * 10 / all)) && [[ $tenth != "$shown" ]]; then # of fewer than ten: one line
            say "$said"
            shown=$tenth
        fi
    done 7>"$1"
    [[ $shown != line ]] || printf '\r\033[K' >&2
}
