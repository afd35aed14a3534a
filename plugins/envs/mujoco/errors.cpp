// SPDX-License-Identifier: Apache-2.0
// MuJoCo is C: its error function must not return, and no exception may pass through its frames. So an error jumps to
// the call that is guarded on this thread and is thrown from there.
#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "simulator.hpp"
#include "tenon/guard.hpp"

namespace physics {
namespace {

constexpr std::size_t kLongestSentence = 512;

struct Landing {
    std::jmp_buf place;
    char sentence[kLongestSentence];
};

thread_local Landing* landing = nullptr;
mjfLogHandler previous = nullptr;

// Warnings are dropped: MuJoCo would print them and write a file into the working folder. is_unstable() reads those
// that matter.
void on_message(const mjLogMessage* message) {
    if (landing == nullptr) {
        if (previous != nullptr) {
            previous(message);
        }
        return;
    }
    if (message->level != mjLOG_ERROR) {
        return;
    }
    const std::size_t length = std::min(std::strlen(message->subject), kLongestSentence - 1);
    std::memcpy(landing->sentence, message->subject, length);
    landing->sentence[length] = '\0';
    std::longjmp(landing->place, 1);  // NOLINT(cert-err52-cpp): see above
}

// Another library of this process may use the same MuJoCo: what happens outside of our calls is its own.
[[maybe_unused]] const bool kHandlerIsSet = [] {
    previous = mju_setLogHandler(&on_message);
    return true;
}();

}  // namespace

void run_guarded(void (*body)(void* argument), void* argument) {
    Landing here{};
    Landing* const outer = landing;
    landing = &here;
    if (setjmp(here.place) == 0) {  // NOLINT(cert-err52-cpp)
        body(argument);
        landing = outer;
        return;
    }
    landing = outer;
    throw tenon::FailedPrecondition("MuJoCo: " + std::string(here.sentence));
}

}  // namespace physics
