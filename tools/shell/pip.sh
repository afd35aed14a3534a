# pip without installing anything: unpacks wheels into a folder of .deps, without dependencies or a cache in the home
# folder, and with temporary files on the same disk.

# Sets `pip` to a python3 that has it: the one on the PATH, Debian's own, or that of its unpacked Debian package.
find_pip() {
    local python unpacked=$deps/root/usr/lib/python3
    for python in python3 /usr/bin/python3; do
        if "$python" -m pip --version >/dev/null 2>&1; then
            pip=("$python" -m pip)
            return 0
        fi
    done
    [[ -d $unpacked/dist-packages/pip ]] || return 1
    pip=(env "PYTHONPATH=$unpacked/dist-packages:${unpacked}.11" /usr/bin/python3 -m pip)
}

pip_debian_packages=(python3-pip python3-setuptools python3-wheel python3-distutils python3-lib2to3)

# pip_bring FOLDER [OPTION...] REQUIREMENT...
pip_bring() {
    local folder=$1
    shift
    find_pip || stop 'python3 has no pip; install it with: apt-get install -y python3-pip (as root), then repeat'
    mkdir -p "$work/tmp"
    TMPDIR=$work/tmp step "pip install of ${*: -1}" "${pip[@]}" install -q --no-deps --no-compile --no-cache-dir \
        --disable-pip-version-check --root-user-action=ignore --progress-bar off --only-binary=:all: \
        --target "$folder" "$@"
}
