// SPDX-License-Identifier: Apache-2.0
// Which plugin another thread is inside of, for whoever waits for that thread.
#pragma once

#include <pthread.h>

#include <optional>
#include <span>
#include <string>

#include "error/problem.hpp"

namespace tenon {

struct CallInProgress {
    std::string component;
    std::string function;  // as CallScope has it
    Place place;
};

// The call of the first thread that is inside of a plugin; nothing where none is, or none answers within some
// milliseconds. Threads are asked by SIGURG, whose handler is put back: a call costs nothing for being asked about one
// day. The threads must live. From one thread at a time.
std::optional<CallInProgress> call_in_progress(std::span<const pthread_t> threads);

}  // namespace tenon
