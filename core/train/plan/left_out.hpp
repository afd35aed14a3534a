// SPDX-License-Identifier: Apache-2.0
// A kind that the manifest names and this program does not have. `./tenon` leaves out kinds that no command has asked
// for (cmake/only.cmake).
#pragma once

#include <string>
#include <utility>

#include "base/error/problem.hpp"

namespace tenon {

inline Problem left_out(std::string sentence, Place place) {
    return environment_problem(std::move(sentence), std::move(place),
                               "`./tenon` in its clone builds what a manifest names, and `tools/build` everything");
}

}  // namespace tenon
