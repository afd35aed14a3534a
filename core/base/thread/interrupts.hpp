// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

namespace tenon {

// Blocks the signals that ask the program to end, in the calling thread and in threads that it starts: the main thread
// handles them. Faults stay unblocked for crash reports, and SIGURG for the question which plugin a thread is calling
// (calls_in_progress.hpp).
inline void block_interrupts() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        sigaddset(&set, number);
    }
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace tenon
