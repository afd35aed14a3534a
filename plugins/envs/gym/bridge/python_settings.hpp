// SPDX-License-Identifier: Apache-2.0
// The options of all envs in Python, also of those without workers.
#pragma once

#include <cstdint>
#include <tuple>

#include "tenon/env.hpp"

namespace bridge {

struct PythonSettings {
    tenon::FileOrName python;
    std::int64_t seed_offset;

    static constexpr auto options = std::tuple{
        tenon::option<&PythonSettings::python>("python", "", "",
                                               "the interpreter, a path or a name in the PATH; empty: of the active "
                                               "virtual environment, else python3"),
        tenon::option<&PythonSettings::seed_offset>("seed_offset", -1, "[-1,4294967295]",
                                                    "lane i is seeded with this and i; -1: from the seed of the run"),
    };
};

}  // namespace bridge
