// SPDX-License-Identifier: Apache-2.0
// Which plugin this thread is inside of, for what can only be told from there: its log lines, and its name where it
// takes the program down.
#pragma once

#include <string_view>

#include "error/problem.hpp"

namespace tenon {

class CallScope {
public:
    // Borrows its arguments. function: "step", or how else a sentence calls what is done with the component.
    CallScope(std::string_view component, std::string_view function, const Place& place);
    // The same call, which another thread works for.
    explicit CallScope(const CallScope& caller);
    CallScope& operator=(const CallScope&) = delete;
    ~CallScope();

    // The innermost of this thread; null outside of plugins. May be asked from a signal handler.
    static const CallScope* current();

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
