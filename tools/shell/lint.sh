# The pinned linters of tools/requirements.txt, by pip into .deps/lint.

lint_requirements=$root/tools/requirements.txt

bring_linters() {
    cmp -s -- "$lint_requirements" "$deps/lint/requirements.txt" && return 0
    say 'downloading into .deps/lint of this clone (once):'
    announce linters 'clang-format and clang-tidy by pip: 48 MB to download, 142 MB to keep'
    work=$deps/partial-lint
    rm -rf -- "$work"
    mkdir -- "$work"
    pip_bring "$work/lint" -r "$lint_requirements" ||
        please_repeat 'the linters could not be downloaded'
    cp -- "$lint_requirements" "$work/lint/requirements.txt"
    rm -rf -- "$deps/lint" "$work/lint"/clang_tidy/data/bin/clang-apply-replacements
    mv -- "$work/lint" "$deps/lint"
    rm -rf -- "$work"
}

# Every C and C++ file that git tracks or would track, except generated ones, each followed by NUL.
source_files() {
    tree_files "$root" '*.h' '*.hpp' '*.c' '*.cc' '*.cpp' '*.cu' '*.cuh' ':!:**/generated/**'
}
