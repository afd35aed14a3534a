# libtorch: the include/, lib/ and share/ of PyTorch's wheel, by pip into .deps/libtorch. It installs no Python package
# and never downloads the gigabytes of CUDA: pip fetches only the wheel without its dependencies, and the CUDA files of
# a default build are deleted.

libtorch_stamp=$deps/libtorch/requirement.txt
libtorch_requirement="torch==$torch_version cpu"
libtorch_note=$deps/libtorch.path # which libtorch the build takes, read by cmake/libtorch.cmake
libtorch_wanted=${TENON_LIBTORCH:-.deps/libtorch/torch}
# The wheel of any Python version will do: only its headers and libraries are used.
libtorch_target=(--python-version 3.11 --implementation cp)

libtorch_brought() { [[ -r $libtorch_stamp && $(<"$libtorch_stamp") == "$libtorch_requirement" ]]; }

libtorch_ready() {
    [[ -r $libtorch_note && $(<"$libtorch_note") == "$libtorch_wanted" ]] &&
        { [[ -n ${TENON_LIBTORCH:-} ]] || libtorch_brought; }
}

libtorch_announce() {
    if [[ -n ${TENON_LIBTORCH:-} ]]; then
        [[ $TENON_LIBTORCH == /* ]] || stop "TENON_LIBTORCH names '$TENON_LIBTORCH'; it must be an absolute path"
        [[ -e $TENON_LIBTORCH/lib/libtorch_cpu.so && -d $TENON_LIBTORCH/include/ATen ]] ||
            stop "TENON_LIBTORCH names '$TENON_LIBTORCH', which is no libtorch: it holds no lib/libtorch_cpu.so and include/ATen"
        announce libtorch "the one in $TENON_LIBTORCH, nothing to download"
    elif libtorch_brought; then
        announce libtorch "$torch_version, already downloaded"
    else
        libtorch_offered=$(libtorch_offer)
        announce libtorch "$libtorch_offered"
    fi
}

# Asks pip's sources (a few kB) for their builds, so that the announced size is correct.
libtorch_offer() {
    if find_pip && "${pip[@]}" index versions --only-binary=:all: "${libtorch_target[@]}" torch 2>/dev/null |
        grep -qF " $torch_version+cpu"; then
        echo "torch $torch_version by pip, the CPU build: 192 MB to download, 480 MB to keep"
    elif [[ $(uname -m) == x86_64 ]]; then
        echo "torch $torch_version by pip: 530 MB to download, 490 MB to keep, 1.7 GB meanwhile (pip's sources have no CPU build; this keeps the CPU part of the default build and downloads none of its CUDA packages)"
    else
        echo "torch $torch_version by pip: about 150 MB to download, 450 MB to keep"
    fi
}

libtorch_bring() {
    if [[ -z ${TENON_LIBTORCH:-} ]] && ! libtorch_brought; then
        local into=$work/libtorch megabytes=${libtorch_offered#*: }
        say "downloading and unpacking libtorch (${megabytes%% to download*})"
        pip_bring "$into" "${libtorch_target[@]}" "torch==$torch_version" || please_repeat
        libtorch_trim "$into"
        printf '%s' "$libtorch_requirement" >"$into/requirement.txt"
        rm -rf -- "$deps/libtorch"
        mv -- "$into" "$deps/libtorch"
    fi
    printf '%s' "$libtorch_wanted" >"$work/note"
    mv -- "$work/note" "$libtorch_note"
}

# Keeps include/, lib/, share/ and the licences, without the files for Python, tests or CUDA.
libtorch_trim() {
    local entry
    for entry in "$1"/* "$1"/torch/*; do
        case ${entry#"$1/"} in
        torch | torch-*.dist-info | torch/include | torch/lib | torch/share) ;;
        *) rm -rf -- "$entry" ;;
        esac
    done
    (
        cd -- "$1/torch/lib" || exit
        rm -rf -- libshm* libcaffe2_nvrtc.so libc10_cuda.so libaoti_custom_ops.so \
            libtorch_{python,cuda,cuda_linalg,nvshmem,global_deps}.so libtorchbind_test.so
    )
    if LC_ALL=C grep -q 'libcudart\.so\.13' "$1/torch/lib/libtorch_cpu.so"; then
        # Even the CPU library of the default build links two small CUDA libraries.
        pip_bring "$1" "${libtorch_target[@]}" nvidia-cuda-runtime==13.0.* nvidia-cuda-cupti==13.0.* || please_repeat
        find "$1/nvidia" -type f ! -name 'libcupti.so*' ! -name 'libcudart.so*' -delete
        find "$1/nvidia" -type d -empty -delete
    fi
}
