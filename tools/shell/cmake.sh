# CMake and ninja if the system has none: CMake's wheel (by pip, self-contained) and ninja's package.

cmake_version=3.31.10

cmake_ready() { [[ -n ${have_cmake:=$(command -v cmake)} || -x $deps/cmake/cmake/data/bin/cmake ]]; }

cmake_announce() { announce CMake "$cmake_version by pip: 28 MB to download, 73 MB to keep"; }

cmake_bring() {
    say "downloading and unpacking CMake (28 MB)"
    pip_bring "$work/cmake" "cmake==$cmake_version" || please_repeat
    rm -rf -- "$deps/cmake"
    mv -- "$work/cmake" "$deps/cmake"
}
