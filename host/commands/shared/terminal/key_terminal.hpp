// SPDX-License-Identifier: Apache-2.0
// A terminal that passes on single keys while a person plays or watches. Its settings are restored when the program
// ends, except by SIGKILL.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon::host {

class KeyTerminal {
public:
    // Only one object may exist at a time. A problem with this sentence if standard input or output is no terminal.
    static Status open(std::string_view sentence);
    static void close() noexcept;

    // The keys pressed until then, by name: "left", "right", "up", "down", "space", or the character. "q" also stands
    // for the end of the input.
    std::vector<std::string> wait(std::chrono::steady_clock::time_point until);

private:
    std::string rest_;  // the beginning of a key of several bytes
};

}  // namespace tenon::host
