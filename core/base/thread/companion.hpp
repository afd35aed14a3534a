// SPDX-License-Identifier: Apache-2.0
// A background thread that makes one call at a time for its owner. Unlike the pool's threads it may work for long: the
// owner does something else meanwhile, and waits for the call at the end.
#pragma once

#include <exception>
#include <semaphore>
#include <thread>

namespace tenon {

class Companion {
public:
    using Body = void (*)(void* arg);

    Companion();
    Companion(const Companion&) = delete;
    Companion& operator=(const Companion&) = delete;
    ~Companion();  // no call may be running

    // Starts body(arg). Call wait before the next begin. Neither allocates.
    void begin(Body body, void* arg);
    // Returns when the call has returned. An exception of it, for example bad_alloc, is thrown here.
    void wait();

    [[nodiscard]] std::thread::native_handle_type handle() { return thread_.native_handle(); }

private:
    void main();

    Body body_ = nullptr;
    void* arg_ = nullptr;
    std::exception_ptr failure_;
    bool stop_ = false;
    std::binary_semaphore begun_{0};
    std::binary_semaphore ended_{0};
    std::thread thread_;
};

}  // namespace tenon
