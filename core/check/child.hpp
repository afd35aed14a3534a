// SPDX-License-Identifier: Apache-2.0
// A check in a process of its own, so that nothing that a plugin does ends the others: a crash, a call that does not
// come back and one that ends the process are verdicts like any other.
#pragma once

#include <functional>

#include "check/verdict.hpp"

namespace tenon {

struct ChildRules {
    double seconds = 10;        // after which it is ended
    bool ends_by_exit = false;  // through exit handlers and destructors
    std::string_view kind;      // of the component, for the header that a function stands in
};

// Runs `body` in a child of this process, which must have no other thread. What the child writes to stdout and stderr
// is not seen, but for the last line where it ends badly.
Verdict run_in_child(const std::function<Verdict()>& body, const ChildRules& rules);

}  // namespace tenon
