// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "base/error/problem.hpp"
#include "printable_stream.hpp"

namespace tenon::host {
namespace {

bool coloured() {
    const char* no_color = std::getenv("NO_COLOR");
    return (no_color == nullptr || *no_color == '\0') && ::isatty(STDERR_FILENO) == 1;
}

void print(const Problem& problem, std::string_view label, std::string_view colour) {
    std::cout.flush();  // keeps the order of both streams on a terminal
    if (coloured()) {
        draw(std::cerr, "\033[1;" + std::string(colour) + "m" + std::string(label) + "\033[0m");
    } else {
        std::cerr << label;
    }
    std::cerr << ": " << render_unlabelled(problem) << '\n';
}

}  // namespace

int report(const Problem& problem) {
    print(problem, "error", "31");
    return static_cast<int>(problem.fault);
}

int report(const Problems& problems) {
    for (const Problem& problem : problems) {
        report(problem);
    }
    return problems.empty() ? kSuccess : static_cast<int>(problems.front().fault);
}

void report_as_warning(const Problem& problem) {
    print(problem, "warning", "33");
}

}  // namespace tenon::host
