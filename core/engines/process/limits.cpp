// SPDX-License-Identifier: Apache-2.0
#include "engines/process/limits.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace tenon {
namespace {

Problem cannot_limit(const std::string& what) {
    return environment_problem("a separate process could not be kept " + what + ": " + std::strerror(errno));
}

bool limit(int resource, rlim_t value) {
    const rlimit both{.rlim_cur = value, .rlim_max = value};
    return ::setrlimit(resource, &both) == 0;
}

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;
#endif

// From now on, sockets other than local ones are refused, also in programs that it starts. So is io_uring, which opens
// sockets without the calls that the filter sees.
Status forbid_network() {
    constexpr std::uint32_t kOtherNumbers = 0x40000000;  // x32: the same calls with other numbers
    constexpr auto kCallNumber = static_cast<std::uint32_t>(offsetof(seccomp_data, nr));
    constexpr auto kArchitecture = static_cast<std::uint32_t>(offsetof(seccomp_data, arch));
    constexpr auto kFamily = static_cast<std::uint32_t>(offsetof(seccomp_data, args));
    std::array<sock_filter, 11> program = {{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kArchitecture),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),  // calls of other architectures have other numbers
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kCallNumber),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherNumbers, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFamily),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog filter{.len = static_cast<unsigned short>(program.size()), .filter = program.data()};
    if (kMachine == 0) {
        errno = ENOSYS;
    }
    if (kMachine == 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
        return cannot_limit("from the network");
    }
    return {};
}

}  // namespace

Status limit_this_process(const IsolationRules& rules) {
    if (!limit(RLIMIT_CORE, 0)) {
        return cannot_limit("from writing core files");
    }
    if (rules.memory_mb > 0 && !limit(RLIMIT_AS, rules.memory_mb << 20U)) {
        return cannot_limit("within its memory");
    }
    if (rules.processor_s > 0 && !limit(RLIMIT_CPU, rules.processor_s)) {
        return cannot_limit("within its processor time");
    }
    return rules.network ? Status() : forbid_network();
}

}  // namespace tenon
