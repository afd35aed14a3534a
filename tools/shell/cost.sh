# What commands cost in processor time, and the measure of a machine. The calling script sets place, an empty folder.

# Sets spent: the seconds of processor time that this shell's finished commands have taken, those that they began included.
look_at_spent() {
    times >"$place/times" # in this shell: a subshell would tell its own
    spent=$(awk 'NR == 2 { gsub(/s/, ""); split($0, part, /[m ]/); print part[1] * 60 + part[2] + part[3] * 60 + part[4] }' "$place/times")
}

# one_file HEADERS: sets one, the seconds that the compiler takes for one file that includes toml++ and the common standard headers, the
# mean of three. HEADERS: where toml++ is, beside the system's folders.
one_file() {
    local before i
    printf '#include <%s>\n' toml++/toml.h algorithm filesystem functional map memory optional string vector >"$place/one.cpp"
    look_at_spent
    before=$spent
    for i in 1 2 3; do c++ -std=c++20 -O2 -isystem "$1" -c -o "$place/one.o" "$place/one.cpp"; done
    look_at_spent
    one=$(difference "$spent" "$before" 3)
}

# difference A B [N]: (A - B) / N.
difference() { awk -v a="$1" -v b="$2" -v n="${3-1}" 'BEGIN { printf "%.2f", (a - b) / n }'; }
