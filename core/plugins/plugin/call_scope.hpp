// SPDX-License-Identifier: Apache-2.0
// The plugin that this thread is executing, for code that needs it: log lines, and the message if it crashes the
// program.
#pragma once

#include <string_view>

#include "base/error/problem.hpp"

namespace tenon {

class CallScope {
public:
    // Borrows its arguments. function: "step", or another description of the call for messages.
    CallScope(std::string_view component, std::string_view function, const Place& place);
    // The same call on another thread that works for this one.
    explicit CallScope(const CallScope& caller);
    CallScope& operator=(const CallScope&) = delete;
    ~CallScope();

    // The innermost scope of this thread; null outside of plugins. May be called from a signal handler.
    static const CallScope* current();

    // Whether this thread has ever been in a scope, so that the host has started it. May be called from a signal
    // handler.
    static bool has_called();

    [[nodiscard]] std::string_view component() const { return component_; }
    [[nodiscard]] std::string_view function() const { return function_; }
    [[nodiscard]] const Place& place() const { return *place_; }

private:
    std::string_view component_;
    std::string_view function_;
    const Place* place_;
    const CallScope* outer_;
};

}  // namespace tenon
