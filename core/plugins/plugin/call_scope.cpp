// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/call_scope.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace tenon {
namespace {

constinit thread_local const CallScope* innermost = nullptr;

// The rounding mode and the treatment of subnormal numbers, without the exception flags.
std::uint64_t rounding() {
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr() & ~0x3fU;
#elif defined(__aarch64__)
    return __builtin_aarch64_get_fpcr64();
#endif
}

void set_rounding(std::uint64_t value) {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(static_cast<unsigned>(value));
#elif defined(__aarch64__)
    __builtin_aarch64_set_fpcr64(value);
#endif
}

// The settings before the outermost call, which may change them.
constexpr std::uint64_t kNoCall = ~std::uint64_t{0};
constinit thread_local std::uint64_t rounding_outside = kNoCall;

// A plugin may fork to start a program. A child that returned instead would continue the run and write its files a
// second time.
constinit bool forked_inside = false;
[[maybe_unused]] const int kWatchesForks =
    ::pthread_atfork(nullptr, nullptr, [] { forked_inside = forked_inside || innermost != nullptr; });

void end_child(const CallScope& scope) {
    std::string text = "warning: ";
    text.append(scope.component()).append(", ").append(scope.function());
    text.append(": the plugin forked, and its child process returned from the call; the child was ended\n");
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
    _exit(static_cast<int>(Fault::kPlugin));
}

}  // namespace

CallScope::CallScope(std::string_view component, std::string_view function, const Place& place)
    : component_(component), function_(function), place_(&place), outer_(innermost) {
    if (outer_ == nullptr) {
        rounding_outside = rounding();
    }
    innermost = this;
}

CallScope::CallScope(const CallScope& caller) : CallScope(caller.component_, caller.function_, *caller.place_) {}

CallScope::~CallScope() {
    if (forked_inside) [[unlikely]] {
        end_child(*this);
    }
    innermost = outer_;
    if (outer_ == nullptr && rounding() != rounding_outside) {
        set_rounding(rounding_outside);
    }
}

const CallScope* CallScope::current() {
    return innermost;
}

bool CallScope::has_called() {
    return rounding_outside != kNoCall;
}

}  // namespace tenon
