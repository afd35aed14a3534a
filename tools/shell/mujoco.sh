# MuJoCo: the wheel mujoco-core, which is its headers and its library, by pip into .deps/mujoco. Only the plugins mujoco and
# dm_control need it, so it comes with the first command that asks for it (wants_mujoco), and with ./test.

mujoco_version=4.0.0
mujoco_stamp=$deps/mujoco/requirement.txt
mujoco_requirement="mujoco-core==$mujoco_version"

mujoco_ready() { [[ -r $mujoco_stamp && $(<"$mujoco_stamp") == "$mujoco_requirement" ]]; }

mujoco_announce() { announce MuJoCo "$mujoco_version by pip: 10 MB to download, 8 MB to keep"; }

mujoco_bring() {
    say 'downloading and unpacking MuJoCo (10 MB)'
    # Of the wheel, which may be that of any version of Python, the library, its headers and its licences.
    pip_bring "$work/mujoco" --python-version 3.11 --implementation cp "$mujoco_requirement" || please_repeat
    find "$work/mujoco/mujoco" -mindepth 1 -maxdepth 1 ! -name include ! -name 'libmujoco.so.*' -exec rm -rf -- {} +
    printf '%s' "$mujoco_requirement" >"$work/mujoco/requirement.txt"
    rm -rf -- "$deps/mujoco"
    mv -- "$work/mujoco" "$deps/mujoco"
}

# The tasks of mujoco by their names alone, as in `tenon run sac HalfCheetah-v5`.
mujoco_task='^(Ant|HalfCheetah|Hopper|Humanoid|HumanoidStandup|InvertedDoublePendulum|InvertedPendulum|Pusher|Reacher|Swimmer|Walker2d)-v5$'

# wants_mujoco WORD...: whether the words of a command name a component of it, themselves or in a manifest or run folder.
wants_mujoco() {
    local word files=()
    for word; do
        [[ ! $word =~ $mujoco_task ]] || return 0
        [[ $word != *mujoco/* && $word != *dm_control/* ]] || return 0
        [[ ! -f $word || $word != *.toml ]] || files+=("$word")
        [[ ! -f $word/manifest.lock.toml ]] || files+=("$word/manifest.lock.toml")
    done
    ((${#files[@]} > 0)) && grep -Eqs '"(mujoco|dm_control)/' -- "${files[@]}"
}
