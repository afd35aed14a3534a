// SPDX-License-Identifier: Apache-2.0
// Which plugin another thread is executing, for messages while waiting for that thread.
#pragma once

#include <pthread.h>

#include <optional>
#include <span>
#include <string>

#include "base/error/problem.hpp"

namespace tenon {

struct CallInProgress {
    std::string component;
    std::string function;  // as in CallScope
    Place place;
};

// The call of the first thread that is inside a plugin; nothing if there is none, or if none answers within some
// milliseconds. It interrupts the threads by SIGURG and restores the signal's handler afterwards, so calls have no
// overhead. The threads must exist. Only one thread may call it at a time.
std::optional<CallInProgress> call_in_progress(std::span<const pthread_t> threads);

}  // namespace tenon
