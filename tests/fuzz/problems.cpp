// SPDX-License-Identifier: Apache-2.0
#include "fuzz/problems.hpp"

#include "fuzz/target.hpp"

namespace tenon::fuzz {
namespace {

void check_place(const Place& place) {
    require(place.excerpt.find('\n') == std::string::npos, "a line that is shown is one line");
    if (place.line > 0 && !place.excerpt.empty()) {
        require(place.column >= 1 && place.column <= place.excerpt.size() + 1, "the caret is below the line");
    }
}

}  // namespace

void check_problems(const Problems& problems) {
    for (const Problem& problem : problems) {
        require(!problem.sentence.empty(), "a problem has a sentence");
        require(!render(problem).empty(), "a problem can be shown");
        check_place(problem.place);
    }
}

}  // namespace tenon::fuzz
