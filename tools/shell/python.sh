# The Python environment of the tests (tools/python_requirements.txt), a virtual environment in .deps/python. The program
# itself needs none.

python_requirements=$root/tools/python_requirements.txt

bring_python() {
    cmp -s -- "$python_requirements" "$deps/python/requirements.txt" && return 0
    find_pip || stop 'python3 has no pip; install it with: apt-get install -y python3-pip (as root), then repeat'
    local python=${pip[0]}
    [[ $python != env ]] || python=/usr/bin/python3
    say 'downloading into .deps/python of this clone (once), for the tests of Python environments:'
    announce python 'gymnasium, ale-py, open_spiel, minigrid, highway-env, minari and the models of dm_control by pip: 143 MB to download, 430 MB to keep'
    work=$deps/partial-python
    rm -rf -- "$work" "$deps/python"
    mkdir -p -- "$work"
    step 'python3 -m venv' "$python" -m venv --without-pip "$deps/python" || please_repeat
    pip_bring "$(echo "$deps"/python/lib/python3.*/site-packages)" -r "$python_requirements" ||
        please_repeat 'the Python packages could not be downloaded'
    cp -- "$python_requirements" "$deps/python/requirements.txt"
    rm -rf -- "$work"
}
