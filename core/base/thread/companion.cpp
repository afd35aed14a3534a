// SPDX-License-Identifier: Apache-2.0
#include "base/thread/companion.hpp"

#include <utility>

#include "base/thread/interrupts.hpp"

namespace tenon {

Companion::Companion() : thread_([this] { main(); }) {}

Companion::~Companion() {
    stop_ = true;
    begun_.release();
    thread_.join();
}

void Companion::begin(Body body, void* arg) {
    body_ = body;
    arg_ = arg;
    begun_.release();
}

void Companion::wait() {
    ended_.acquire();
    if (failure_) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

void Companion::main() {
    block_interrupts();
    for (begun_.acquire(); !stop_; begun_.acquire()) {
        try {
            body_(arg_);
        } catch (...) {
            failure_ = std::current_exception();
        }
        ended_.release();
    }
}

}  // namespace tenon
