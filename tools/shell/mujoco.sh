# MuJoCo: the wheel mujoco-core, which is its headers and its library, by pip into .deps/mujoco, with the models of Gymnasium's
# tasks. The models of dm_control are a part of their own, because their package is large. Only the plugins mujoco and
# dm_control need them, so they come with the first command that asks for them (find_needs), and with ./test.

mujoco_version=4.0.0
mujoco_stamp=$deps/mujoco/requirement.txt
mujoco_requirement="mujoco-core==$mujoco_version"
mujoco_models=gymnasium==1.4.0
dm_control_models=dm_control==1.0.50
dm_control_stamp=$deps/mujoco/dm_control.txt

mujoco_ready() { [[ -r $mujoco_stamp && $(<"$mujoco_stamp") == "$mujoco_requirement $mujoco_models" ]]; }
dm_control_ready() { [[ -r $dm_control_stamp && $(<"$dm_control_stamp") == "$dm_control_models" ]]; }

mujoco_announce() { announce MuJoCo "$mujoco_version and the models of Gymnasium's tasks by pip: 11 MB to download, 8 MB to keep"; }
dm_control_announce() { announce dm_control 'its models by pip: 56 MB to download, 21 MB to keep'; }

mujoco_bring() {
    say 'downloading and unpacking MuJoCo (11 MB)'
    # Of the wheel, which may be that of any version of Python, the library, its headers and its licences.
    pip_bring "$work/mujoco" --python-version 3.11 --implementation cp "$mujoco_requirement" || please_repeat
    find "$work/mujoco/mujoco" -mindepth 1 -maxdepth 1 ! -name include ! -name 'libmujoco.so.*' -exec rm -rf -- {} +
    models_bring gymnasium "$mujoco_models" envs/mujoco/assets "$work/mujoco/mujoco/packages"
    printf '%s' "$mujoco_requirement $mujoco_models" >"$work/mujoco/requirement.txt"
    rm -rf -- "$deps/mujoco"
    mv -- "$work/mujoco" "$deps/mujoco"
}

dm_control_bring() {
    say 'downloading and unpacking the models of dm_control (56 MB)'
    models_bring dm_control "$dm_control_models" suite "$deps/mujoco/mujoco/packages"
    printf '%s' "$dm_control_models" >"$work/dm_control.txt"
    mv -- "$work/dm_control.txt" "$dm_control_stamp"
}

# models_bring PACKAGE REQUIREMENT FOLDER INTO: what the plugins read of a Python package, beside MuJoCo's library, where
# they look for it. No Python is needed.
models_bring() {
    local package=$1 requirement=$2 folder=$3 into=$4 all=$work/$1-models
    pip_bring "$all" "$requirement" || please_repeat
    find "$all/$package/$folder" -name '*.py' -delete
    rm -rf -- "$into/${package:?}"
    mkdir -p -- "$(dirname -- "$into/$package/$folder")"
    mv -- "$all/$package/$folder" "$into/$package/$folder"
    cp -- "$all/$package"-*.dist-info/licenses/LICENSE* "$into/$package/"
}
