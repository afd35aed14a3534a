# Shared by the scripts: messages, all on standard error, and steps that print their own output if they fail.

say() { printf 'tenon: %s\n' "$*" >&2; }

stop() {
    say "$*"
    exit 2
}

# help_if_asked SCRIPT WORD...: where a word is --help or -h, prints the comment that the script begins with, and exits.
help_if_asked() {
    local script=$1 word
    shift
    for word; do
        [[ $word == --help || $word == -h ]] || continue
        awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$script"
        exit 0
    done
}

# announce WHAT TEXT: one line about the next download.
announce() { printf '  %-9s %s\n' "$1" "$2" >&2; }

# step WHAT COMMAND...: quiet on success, except for a sign of life if it takes long; on failure, prints the command's
# own output.
step() {
    local what=$1 status=0 teller
    shift
    exec 6> >(tell_arrival "$what")
    teller=$!
    "$@" >"$work/step.log" 2>&1 </dev/null 6>&- || status=$?
    exec 6>&-
    wait "$teller" || true # so that it says nothing after this
    ((status != 0)) || return 0
    say "$what failed:"
    sed 's/^/    /' "$work/step.log" >&2
    return 1
}

# Reports from time to time how much a step has downloaded, until its standard input ends. It ends with the step's
# script in any case, and does not keep the set-up's lock or anybody's pipe open.
arrival_seconds=10
tell_arrival() {
    local began=$SECONDS status=0
    exec 9>&- >/dev/null
    while :; do
        read -rt "$arrival_seconds" || status=$?
        ((status > 128)) || return 0
        status=0
        say "$1: $(du -sm -- "$work" 2>/dev/null | cut -f1) MB on the disk after $((SECONDS - began)) s"
    done
}

# again: the command that was typed, with each word after a blank and quoted for the shell.
please_repeat() { stop "${1:-the set-up stopped}; when that is mended, repeat it with:$again"; }

# What only the system's administrator can install.
require_tools() {
    local missing=()
    command -v g++ >/dev/null || missing+=(g++)
    command -v python3 >/dev/null || missing+=(python3)
    ((${#missing[@]} == 0)) ||
        stop "this machine has no ${missing[*]}; install with: apt-get install -y ${missing[*]} (as root), then repeat"
    printf '#include <source_location>\n' | g++ -std=c++20 -fsyntax-only -x c++ - 2>/dev/null ||
        stop "this g++ ($(g++ -dumpfullversion 2>/dev/null)) does not compile C++20; version 12 or newer is needed"
}

# The folders of .deps come after those of the system.
use_brought_tools() { PATH=$PATH:$deps/root/usr/bin:$deps/cmake/cmake/data/bin; }
