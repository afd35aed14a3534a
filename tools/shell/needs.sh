# What a command needs of this clone, from its words: plugins, kinds of sources, storages and recordings, the module of devices,
# libtorch, MuJoCo, kernels for GPUs. `./tenon` sets up and builds no more than that.

# The text in which components are named: the words, the manifests among them with the files that these name, and those of
# run folders.
needs_text() {
    local word file folder included
    local -A seen=()
    local files=()
    for word; do
        printf '%s\n' "$word"
        word=${word#--*=} # as in --resume=DIR
        if [[ -f $word && $word == *.toml ]]; then
            files+=("$word")
        elif [[ -f $word/manifest.lock.toml ]]; then
            files+=("$word/manifest.lock.toml")
        fi
    done
    while ((${#files[@]})); do
        file=${files[0]} files=("${files[@]:1}")
        [[ -z ${seen[$file]-} && -f $file ]] || continue
        seen[$file]=1
        cat -- "$file"
        folder=$(dirname -- "$file")
        while IFS= read -r included; do
            [[ $included == /* ]] || included=$folder/$included
            files+=("$included")
        done < <(grep -oE '"[^"]+\.toml"' "$file" | tr -d '"')
    done
}

# bench_text WORD...: what needs_text prints, and the manifests of the benchmarks that the words name.
bench_text() {
    local word files=()
    for word; do
        [[ ! $word =~ ^[a-z0-9_]+$ || ! -f $root/bench/objectives/$word.toml ]] || files+=("$root/bench/objectives/$word.toml")
    done
    needs_text "$@" "${files[@]}"
}

# plugin_targets KIND: a line for each plugin of plugins/KIND, or of all kinds for `*`: its folder and its name.
plugin_targets() {
    (cd -- "$root" && grep -HoE 'tenon_add_plugin\([A-Za-z0-9_]+' plugins/$1/*/CMakeLists.txt) | sed 's|/CMakeLists.txt:.*(| |'
}

# needed_plugins TEXT WORD...: a line for each plugin that the text names, as `dqn/dqn`, and that a word names: by the
# plugin's own name, or by that of an env, as CartPole-v1.
needed_plugins() {
    local text=$1 line name folder word folders=' '
    shift
    for word; do
        [[ $word =~ ^[A-Za-z0-9_]+-v[0-9]+$ ]] || continue
        while IFS= read -r line; do
            folders+="${line%/*} "
        done < <(cd -- "$root" && grep -rlF --include='*.cpp' --include='*.hpp' --include='*.c' -- "\"$word\"" plugins/envs)
    done
    while read -r folder name; do
        if [[ " $* " == *" $name "* || $folders == *" $folder "* || $text =~ (^|[^A-Za-z0-9_./-])$name/[A-Za-z] ]]; then
            echo "$name"
        fi
    done < <(plugin_targets '*')
}

# needed_kinds TEXT: a line for each kind of sources, storages and recordings that the text asks for: ASKED_BY in core/engines.
needed_kinds() {
    local text=$1 area words word
    while read -r area words; do
        for word in $words; do
            [[ $text =~ (^|[^A-Za-z0-9_])$word($|[^A-Za-z0-9_]) ]] || continue
            echo "$area"
            break
        done
    done < <(cd -- "$root" && grep -HoE 'ASKED_BY [a-z_ ]+' core/engines/*/CMakeLists.txt 2>/dev/null | sed -E 's|.*/([a-z_]+)/CMakeLists.txt:ASKED_BY|\1|')
}

# Whether an `init` of the text names a file, a folder or a dataset, and not, as `init = "orthogonal"`, a word of a plugin.
names_frames() {
    local text=$1 value
    while IFS= read -r value; do
        [[ $value != *[./]* && ! -e $value ]] || return 0
    done < <(grep -oE "init[[:space:]]*=[[:space:]]*(\"[^\"]+|'[^']+|[^\"'[:space:]].*)" <<<"$text" | sed -E "s/^[^=]*=[[:space:]]*[\"']?//")
    return 1
}

# Whether at least three of four plugins are built.
most_are_built() {
    local built=("$root"/build/release/lib/tenon/plugins/*.so)
    ((${#built[@]} * 4 >= $(plugin_targets '*' | wc -l) * 3))
}

# listed_plugins WORD...: a line for each plugin that `tenon list` shows with these words: of a kind, or by its name. Fails if a word is
# neither, or if there is none. What a kind needs is not downloaded: MuJoCo's plugins are listed once MuJoCo is here.
listed_plugins() {
    local word before='' folder name known found=
    local -A folder_of=([env]=envs [wrapper]=envs/wrappers [transform]=transforms [policy]=policies [buffer]=buffers
        [objective]=losses [hook]=hooks [dataset]=datasets)
    for word; do
        if [[ $before == --plugins ]]; then before='' && continue; fi
        before=$word
        [[ $word != -* ]] || continue
        word=${word#shipped:} word=${word%%/*} known=
        while read -r folder name; do
            if [[ $name == "$word" ]]; then
                known=1 found+=$name$'\n'
            elif [[ -n $word && -n ${folder_of[$word]-} && $folder/ == plugins/${folder_of[$word]}/* ]]; then
                known=1
                [[ ! $name =~ ^(mujoco|dm_control)$ || -e $deps/mujoco ]] && found+=$name$'\n'
            fi
        done < <(plugin_targets '*')
        [[ -n $known ]] || return 1
    done
    [[ -n $found ]] && printf '%s' "$found"
}

# find_preset VERB WORD...: sets preset_words, what `tenon init` needs to know if an algorithm and an env stand in place of a
# manifest: these two, and the values that are set. Otherwise it is empty.
find_preset() {
    local verb=$1 word presets sets=()
    preset_words=()
    shift
    [[ $verb =~ ^(run|validate|explain|init)$ ]] || return 0
    while (($#)); do
        word=$1
        shift
        case $word in
        --set | --seed) sets+=("$word" "${@:1:1}") ;;
        --set=* | --seed=*) sets+=("$word") ;;
        esac
        presets=("$root/manifests/presets/${word}"_*.toml)
        if ((${#preset_words[@]} == 0)) && [[ $word =~ ^[a-z0-9_]+$ && -f ${presets[0]} && -n ${1-} && $1 != -* ]]; then
            preset_words=("$word" "$1")
        fi
    done
    ((${#preset_words[@]} == 0)) || preset_words+=("${sets[@]}")
}

# checks NOTE WORD...: whether the note of a checked file matches. Those of files that are not built yet may.
checks() {
    local note=$1 word files=()
    shift
    for word; do
        [[ ! -f $word || $word == *.toml ]] || files+=("$word")
    done
    ((${#files[@]} == 0)) || grep -qaE -- "$note" "${files[@]}"
}

# Whether NVIDIA's driver is installed, or nothing tells.
has_driver() {
    local folder libraries path=$PATH:/sbin:/usr/sbin
    while IFS= read -rd : folder; do
        [[ -z $folder || ! -e $folder/libcuda.so.1 ]] || return 0
    done <<<"${LD_LIBRARY_PATH-}:"
    libraries=$(PATH=$path ldconfig -p 2>/dev/null) || return 0
    [[ $libraries == *libcuda.so.1* ]]
}

# find_needs VERB WORD...: sets needs_targets (plugins and modules, or all of the program), needs_parts (of tools/setup), needs_only (lines of
# only.txt), and preset_words.
find_needs() {
    local verb=$1 text
    shift
    text=$* needs_targets=() needs_parts=() needs_only=("$verb") preset_words=()
    [[ " $text " != *' --help '* && " $text " != *' -h '* ]] || return 0
    case $verb in
    help | --help | -h | --version) needs_only=("${1:-help}") && return ;;
    new) # what its folder is tried with
        needs_only+=(run check)
        mapfile -t needs_targets < <(needed_plugins "$(cat -- "$root/sdk/templates/${1-}"*/manifest.toml 2>/dev/null)")
        ;;
    compare | completion | dash | top) ;;
    list)
        if text=$(listed_plugins "$@"); then
            mapfile -t needs_targets <<<"$text"
        else
            needs_targets=(tenon_program)
            most_are_built ||
                say 'all plugins are listed, so they are built first, which takes minutes; `./tenon list KIND` (env, policy, ...) builds those of one kind'
        fi
        text=$*
        ;;
    doctor)
        needs_targets=(tenon_program)
        most_are_built || say 'each plugin checks what it needs, so all are built first, which takes minutes'
        ;;
    bench)
        if [[ " $text " == *' cluster '* ]]; then
            text=$(bench_text "$@")
            mapfile -t needs_targets < <(needed_plugins "$text")
        else
            needs_targets=(tenon_run_all) needs_parts=(libtorch)
        fi
        ;;
    *)
        text=$(needs_text "$@")
        mapfile -t needs_targets < <(needed_plugins "$text" "$@")
        ;;
    esac
    # Whose file it is, the readers of datasets tell.
    if [[ $verb == data || $verb == record ]] || names_frames "$text"; then
        mapfile -t -O "${#needs_targets[@]}" needs_targets < <(plugin_targets datasets | cut -d ' ' -f 2)
    fi
    # Both executors must compute graphs.
    if { [[ $verb == check ]] && checks '"kind":"(policy|objective|transform)"' "$@"; } || [[ $text =~ executor[[:space:]]*=?[[:space:]]*\"?reference ]]; then
        needs_parts+=(libtorch)
    fi
    if [[ "$text ${needs_targets[*]}" =~ (^|[^A-Za-z0-9_])(mujoco|dm_control)($|[^A-Za-z0-9_]) ]]; then
        needs_parts+=(mujoco)
        [[ ${BASH_REMATCH[2]} != dm_control && ! "$text" =~ dm_control/ ]] || needs_parts+=(dm_control)
    fi
    # What a device computes; a clone may be without it.
    if [[ $text =~ (^|[^A-Za-z0-9_])(cuda|emulated)($|[^A-Za-z0-9_]) ]] ||
        { [[ $verb == check ]] && checks '"devices":\[[^]]*"(cuda|emulated)"' "$@"; }; then
        [[ ! -e $root/core/engines/cuda ]] || needs_targets+=(tenon_cuda_module)
    fi
    # What links the shards of a run, and workers that connect.
    if [[ $text =~ (shards|listen)[[:space:]]*= || $verb == collect || "$verb $*" =~ ^bench\ (.*\ )?cluster( |$) ]]; then
        [[ ! -e $root/core/engines/link_zmq ]] || needs_targets+=(tenon_link_zmq_module)
    fi
    # Without a driver the module of devices says so; no kernel would run.
    if [[ $text =~ (^|[^A-Za-z0-9_])cuda($|[^A-Za-z0-9_]) ]]; then
        if has_driver; then
            needs_only+=(kernels)
        else
            say 'this machine has no NVIDIA driver (libcuda.so.1), so kernels for GPUs are not built'
        fi
    fi
    # These commands read what any run has written, or try what any may use; `init` may name frames of any storage.
    if [[ $verb =~ ^(bench|check|collect|data|import|new|prune|record)$ ]] || names_frames "$text"; then
        needs_only+=(kinds)
    else
        mapfile -t -O "${#needs_only[@]}" needs_only < <(needed_kinds "$text")
    fi
    find_preset "$verb" "$@"
    ((${#preset_words[@]} == 0)) || needs_only+=(init) # which tells what such a manifest names
}
