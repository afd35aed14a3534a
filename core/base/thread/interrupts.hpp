// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

namespace tenon {

// Blocks the signals that ask the program to end, or a run for something else (SIGURG), in the calling thread and in
// threads that it starts: the main thread handles them. Faults stay unblocked for crash reports.
inline void block_interrupts() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGURG}) {
        sigaddset(&set, number);
    }
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace tenon
