# Debian packages without root: private package lists from the sources that are configured on this machine, plus its
# backports suite; packages are downloaded and unpacked into .deps/root, but never installed. Where that is impossible
# (no apt-get, another release, no network), the system's own libraries are used.

debian_list=$deps/root/packages.txt

debian_ready() {
    [[ -r $debian_list ]] || return 1
    local have package
    have=" $(<"$debian_list") "
    for package in "${debian_packages[@]}"; do [[ $have == *" $package "* ]] || return 1; done
}

debian_codename() { (. /etc/os-release 2>/dev/null && printf '%s' "${VERSION_CODENAME:-}") || true; }

# Why these packages cannot be downloaded on this machine; empty if they can.
debian_hindrance() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
        echo 'this machine has no apt-get'
    elif [[ $(debian_codename) != bookworm ]]; then
        echo 'this machine is not Debian bookworm'
    fi
}

debian_announce() {
    local hindrance
    hindrance=$(debian_hindrance)
    if [[ -n $hindrance ]]; then
        announce libraries "none to download, because $hindrance; using what the system has"
    else
        announce Debian 'packages by apt-get: 16 MB to download, 205 MB to keep (after 20 MB of package lists, not kept):'
        announce '' "${debian_packages[*]}"
    fi
}

debian_bring() {
    if [[ -z $(debian_hindrance) ]]; then
        debian_fetch && return
        say 'the Debian packages could not be downloaded; using what the system has'
    fi
    debian_from_system || please_repeat
}

# Both forms of configured sources, reduced to the release itself and its backports: third-party sources and deb-src
# lists would only cost time. The signing keys that they name are used as well.
debian_sources() {
    local codename=$1 into=$2
    shopt -s nullglob
    local deb822=(/etc/apt/sources.list.d/*.sources) lists=(/etc/apt/sources.list /etc/apt/sources.list.d/*.list)
    shopt -u nullglob
    ((${#deb822[@]} == 0)) || awk -v RS= -v suite="$codename" '
        $0 ~ "(^|\n)Suites:[^\n]*[ \t]" suite "([ \t\n]|$)" && $0 !~ /(^|\n)Enabled:[ \t]*no/ {
            gsub(/(^|\n)#[^\n]*/, "")
            sub(/Types:[^\n]*/, "Types: deb")
            sub(/Suites:[^\n]*/, "Suites: " suite " " suite "-backports")
            print
            exit
        }' "${deb822[@]}" >"$into/release.sources"
    [[ -s $into/release.sources ]] || rm -f -- "$into/release.sources"
    [[ -e $into/release.sources ]] || awk -v suite="$codename" '
        $1 == "deb" {
            for (i = 2; i <= NF; ++i) if ($i == suite) {
                print
                $i = suite "-backports"
                print
                exit
            }
        }' "${lists[@]}" /dev/null >"$into/release.list"
    [[ -s $into/release.sources || -s $into/release.list ]]
}

# debian_unpack FOLDER MEGABYTES PACKAGE...: downloads the packages and unpacks them into the folder.
debian_unpack() {
    local unpacked=$1 megabytes=$2 apt=$work/apt deb
    shift 2
    mkdir -p "$apt"/{sources,lists/partial,cache/archives/partial,debs} "$unpacked"
    if ! debian_sources "$(debian_codename)" "$apt/sources"; then
        say "the configured package sources name no $(debian_codename) suite"
        return 1
    fi
    local get=(apt-get -qq -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$apt/sources"
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "APT::Update::Post-Invoke="
        -o "APT::Update::Post-Invoke-Success=" -o "APT::Sandbox::User=$(id -un)" -o "Acquire::Languages=none"
        -o "APT::Get::List-Cleanup=0" -o "APT::Update::Error-Mode=any")
    say 'downloading package lists (20 MB)'
    step 'apt-get update (private lists)' "${get[@]}" update || return 1
    say "downloading and unpacking $# Debian packages ($megabytes MB)"
    (cd -- "$apt/debs" && step 'apt-get download' "${get[@]}" download "$@") || return 1
    for deb in "$apt"/debs/*.deb; do
        step "unpacking ${deb##*/}" dpkg-deb -x "$deb" "$unpacked" || return 1
    done
    rm -rf -- "$unpacked"/usr/share/{doc-base,lintian,man} "$apt"
    # Of the documentation only the licences, which an installation includes (cmake/install.cmake).
    find "$unpacked/usr/share/doc" ! -type d ! -name copyright -delete
}

debian_fetch() {
    local unpacked=$work/root
    debian_unpack "$unpacked" 16 "${debian_packages[@]}" || return 1
    printf '%s ' "${debian_packages[@]}" >"$unpacked/packages.txt"
    rm -rf -- "$deps/root"
    mv -- "$unpacked" "$deps/root"
}

# Uses the libraries that CMake finds on the system, or names the missing ones in one sentence.
debian_from_system() {
    local missing=$work/probe/missing.txt
    cmake_ready || cmake_bring
    use_brought_tools
    if ! cmake -S "$root" -B "$work/probe" -DTENON_PROBE_DEPENDENCIES=ON >"$work/probe.log" 2>&1; then
        [[ -r $missing ]] || cat "$work/probe.log" >&2
        say "not found on this machine: $(cat "$missing" 2>/dev/null); install them, or list their folders in CMAKE_PREFIX_PATH"
        return 1
    fi
    mkdir -p "$work/root"
    tr ':;' '\n\n' <<<"${CMAKE_PREFIX_PATH:-}" >"$work/root/prefix_path.txt"
    printf '%s ' "${debian_packages[@]}" >"$work/root/packages.txt"
    rm -rf -- "$deps/root"
    mv -- "$work/root" "$deps/root"
}
