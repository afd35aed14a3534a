# Steps of .ci/run and .ci/long, with what each takes, by the clock and of the processor. The calling script sources cost.sh and sets
# place, an empty folder, status=0 and rows=(). A step is a command; a failed one sets status to 1.

# run COMMAND...: a step; sets took, its processor time, and adds a row.
run() {
    local began=$SECONDS before ended=0
    look_at_spent
    before=$spent
    echo "=== $*"
    "$@" || ended=$?
    ((ended == 0)) || status=1
    look_at_spent
    took=$(difference "$spent" "$before")
    rows+=("$(printf '%-44s %5d s   processor %7.1f s%s' "$*" $((SECONDS - began)) "$took" "$( ((ended == 0)) || echo '   failed')")")
    echo "=== $*: $((SECONDS - began)) s$( ((ended == 0)) || echo ', failed')"
}

# together COMMAND...: steps at the same time, each of one word, because each leaves a core idle for a while; sets took_by[COMMAND].
declare -A took_by
together() {
    local all=$place step said
    for step; do
        place=$all/${step//\//_}
        mkdir -p -- "$place"
        (
            status=0 rows=()
            run "$step"
            printf '%s\n' "$status" "$took" "${rows[@]}" >"$place/ended"
        ) >"$place/said" 2>&1 &
    done
    wait
    place=$all
    for step; do
        cat -- "$place/${step//\//_}/said"
        mapfile -t said <"$place/${step//\//_}/ended"
        ((said[0] == 0)) || status=1
        took_by[$step]=${said[1]}
        rows+=("${said[2]}")
    done
}
