// SPDX-License-Identifier: Apache-2.0
// Input for the checks of a policy that is a graph: rows of observations that its run has made.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "commands/check/port_rows.hpp"
#include "commands/check/wired_run.hpp"

namespace tenon {

struct Observed {
    std::size_t rows = 0;
    std::map<std::string, std::vector<std::byte>, std::less<>> columns;  // dense rows, by the key of the column

    // At least `rows` observations, from as many steps of the run as necessary.
    static Result<Observed> collect(WiredRun& run, std::size_t rows);

    // The inputs of an acting program. Every row is the first of an episode, so the memory is empty.
    [[nodiscard]] PortRows of(std::span<const Port> inputs) const;
};

}  // namespace tenon
