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

# begin STEP [NICENESS]: a step of one word, at the same time as what follows, and after it where that wants the processor (nice).
declare -A took_by
begun=()
begin() {
    local step=$1 all=$place
    place=$all/${step//\//_}
    mkdir -p -- "$place"
    (
        (($# < 2)) || renice -n "$2" -p "$BASHPID" >/dev/null
        status=0 rows=()
        run "$step"
        printf '%s\n' "$status" "$took" "${rows[@]}" >"$place/ended"
    ) >"$place/said" 2>&1 &
    place=$all
    begun+=("$step")
}

# end_begun: waits for what has begun, and prints it; sets took_by[STEP].
end_begun() {
    local step said
    wait
    for step in "${begun[@]}"; do
        cat -- "$place/${step//\//_}/said"
        mapfile -t said <"$place/${step//\//_}/ended"
        ((said[0] == 0)) || status=1
        took_by[$step]=${said[1]}
        rows+=("${said[2]}")
    done
    begun=()
}

# together STEP...: steps at the same time, because each leaves a core idle for a while.
together() {
    local step
    for step; do begin "$step"; done
    end_begun
}
