// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/calls_in_progress.hpp"

#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <thread>

#include "plugins/plugin/call_scope.hpp"

namespace tenon {
namespace {

// The handler may interrupt a thread anywhere, even inside malloc, so it copies into fixed memory.
template <std::size_t Size>
class Copy {
public:
    void operator=(std::string_view text) {
        size_ = std::min(text.size(), Size);
        std::copy_n(text.begin(), size_, text_.begin());
    }
    [[nodiscard]] std::string text() const { return {text_.data(), size_}; }

private:
    std::array<char, Size> text_{};
    std::size_t size_ = 0;
};

struct Answer {
    Copy<256> component;
    Copy<64> function;
    Copy<1024> file;
    Copy<512> excerpt;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t length = 0;
};

enum State : int { kIdle, kAsked, kAnswering, kAnswered };

// Global, because a handler gets no pointer.
Answer answer;
std::atomic<int> state{kIdle};
static_assert(std::atomic<int>::is_always_lock_free, "a handler may touch lock-free atomics only");

void on_question(int) {
    const int saved_errno = errno;
    const CallScope* const scope = CallScope::current();
    int asked = kAsked;
    if (scope != nullptr && state.compare_exchange_strong(asked, kAnswering)) {
        const Place& place = scope->place();
        answer.component = scope->component();
        answer.function = scope->function();
        answer.file = place.file;
        answer.excerpt = place.excerpt;
        answer.line = place.line;
        answer.column = place.column;
        answer.length = place.length;
        state.store(kAnswered);
    }
    errno = saved_errno;
}

bool is_answered() {
    constexpr int kMostWaits = 50;
    const auto wait_a_moment = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
    for (int waits = 0; state.load() == kAsked && waits < kMostWaits; ++waits) {
        wait_a_moment();
    }
    int asked = kAsked;
    if (state.compare_exchange_strong(asked, kIdle)) {
        return false;
    }
    while (state.load() != kAnswered) {
        wait_a_moment();
    }
    return true;
}

}  // namespace

std::optional<CallInProgress> call_in_progress(std::span<const pthread_t> threads) {
    struct sigaction action{};
    struct sigaction old{};
    action.sa_handler = on_question;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGURG, &action, &old);
    state.store(kAsked);
    for (const pthread_t thread : threads) {
        ::pthread_kill(thread, SIGURG);
    }
    std::optional<CallInProgress> out;
    if (is_answered()) {
        out = {answer.component.text(),
               answer.function.text(),
               {.file = answer.file.text(),
                .line = answer.line,
                .column = answer.column,
                .length = answer.length,
                .excerpt = answer.excerpt.text()}};
        state.store(kIdle);
    }
    ::sigaction(SIGURG, &old, nullptr);
    return out;
}

}  // namespace tenon
