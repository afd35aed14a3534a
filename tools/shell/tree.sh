# The files of a tree that git tracks or would track.

# tree_files FOLDER [PATHSPEC...]: those that exist, each followed by NUL.
tree_files() {
    local folder=$1 file
    shift
    git -C "$folder" ls-files -z --cached --others --exclude-standard -- "$@" | while IFS= read -r -d '' file; do
        [[ ! -e $folder/$file ]] || printf '%s\0' "$file"
    done
}

# copy_tree FROM TO: these files, into an empty folder.
copy_tree() {
    tree_files "$1" | (cd -- "$1" && xargs -0 cp --parents --no-dereference --preserve=mode,timestamps -t "$2")
}
