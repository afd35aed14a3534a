// SPDX-License-Identifier: Apache-2.0
// Runs a check in a separate process, so that a plugin cannot end the other checks: a crash, an endless call and a call
// that exits the process are ordinary verdicts.
#pragma once

#include <functional>
#include <string_view>

#include "commands/check/verdict.hpp"

namespace tenon {

struct ChildRules {
    double seconds = 10;        // time limit, after which it is killed
    bool ends_by_exit = false;  // runs exit handlers and destructors at the end
    std::string_view kind;      // of the component, to name the header of a function
};

// Runs `body` in a child of this process, which must have no other thread. The child's stdout and stderr are discarded,
// except for the last line if it ends abnormally.
Verdict run_in_child(const std::function<Verdict()>& body, const ChildRules& rules);

// In a child: if it ends now, its verdict has these words after the name of the function that it was in.
void now_trying(std::string_view what);

}  // namespace tenon
