// SPDX-License-Identifier: Apache-2.0
#include "base/file/private_descriptor.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <mutex>
#include <vector>

namespace tenon {
namespace {

// Global variables, because a handler of forks gets no pointer.
constinit std::mutex mutex;
std::vector<int>& open_numbers() {
    static auto* const only = new std::vector<int>;  // never destroyed: a plugin may fork while the program ends
    return *only;
}

// A forked process has one thread, in which only functions that are safe in a signal handler may be called. The number
// stays in use: the process may close it.
void give_up_all() {
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int number : open_numbers()) {
        if (nothing < 0 || ::dup3(nothing, number, O_CLOEXEC) < 0) {
            ::close(number);
        }
    }
    ::close(nothing);
    mutex.unlock();
}

// No other thread changes the list during a fork.
[[maybe_unused]] const int kWatchesForks = ::pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, give_up_all);

}  // namespace

PrivateDescriptor::PrivateDescriptor(int number) : number_(number) {
    if (number_ >= 0) {
        const std::lock_guard lock(mutex);
        open_numbers().push_back(number_);
    }
}

PrivateDescriptor::~PrivateDescriptor() {
    if (number_ >= 0) {
        const std::lock_guard lock(mutex);
        std::erase(open_numbers(), number_);
        ::close(number_);
    }
}

}  // namespace tenon
