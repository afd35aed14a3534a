// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/error/result.hpp"

namespace tenon {

// The two ends of a socket of this machine, with room for steps of some milliseconds, so that the sender goes on.
inline Result<std::array<int, 2>> socket_pair() {
    constexpr int kRoom = 1 << 20;
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return environment_problem(std::string("a socket cannot be made: ") + std::strerror(errno));
    }
    for (const int end : ends) {
        ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kRoom, sizeof kRoom);
    }
    return ends;
}

}  // namespace tenon
