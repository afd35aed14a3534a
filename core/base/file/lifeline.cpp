// SPDX-License-Identifier: Apache-2.0
#include "base/file/lifeline.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace tenon {

Result<Lifeline> make_lifeline() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return environment_problem(std::string("a pipe to another process could not be made: ") + std::strerror(errno));
    }
    return Lifeline{.held = PrivateDescriptor(ends[1]), .given = FileDescriptor(ends[0])};
}

// A process that starts others holds the writing end of a pipe. When it ends, however it does, the kernel closes this
// end, and a pipe with no writer tells its readers. A reader that asked for it (O_ASYNC) gets the signal that it chose
// (F_SETSIG), as a whole process group (F_SETOWN, negative). So no thread has to wait. The read finds an end that was
// closed before. PR_SET_PDEATHSIG would not do: it signals when the starter's thread ends, and it signals only one
// process.
bool end_with_starter(int given, int by) {
    const bool tied = ::fcntl(given, F_SETOWN, -::getpgrp()) == 0 && ::fcntl(given, F_SETSIG, by) == 0 &&
                      ::fcntl(given, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
    char none = 0;
    return tied && ::read(given, &none, 1) < 0 && errno == EAGAIN;
}

}  // namespace tenon
