# OpenSSH's server from Debian into .deps/sshd, for tests and figures of what ssh carries (tools/private_sshd). Where the
# system has one, it is not needed.

sshd_debian_packages=(openssh-server libwrap0)

sshd_ready() { [[ -x $deps/sshd/usr/sbin/sshd ]]; }

sshd_announce() { announce sshd "OpenSSH's server by apt-get: 0.5 MB to download, 2 MB to keep"; }

sshd_bring() {
    local hindrance
    hindrance=$(debian_hindrance)
    if [[ -n $hindrance ]]; then
        say "sshd is not downloaded, because $hindrance; that of the system is used"
        return
    fi
    debian_unpack "$work/sshd" 1 "${sshd_debian_packages[@]}" || please_repeat
    rm -rf -- "$deps/sshd"
    mv -- "$work/sshd" "$deps/sshd"
}
