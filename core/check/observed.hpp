// SPDX-License-Identifier: Apache-2.0
// What a policy that is a graph acts on while it is looked at: rows of observations that its run has made.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "check/port_rows.hpp"
#include "check/wired_run.hpp"

namespace tenon {

struct Observed {
    std::size_t rows = 0;
    std::map<std::string, std::vector<std::byte>, std::less<>> columns;  // dense rows, by the key of the column

    // At least `rows` of them, from as many steps of the run as that takes.
    static Result<Observed> collect(WiredRun& run, std::size_t rows);

    // The inputs of an acting program. Each row is the first of an episode: nothing is remembered.
    [[nodiscard]] PortRows of(std::span<const PortSpec> inputs) const;
};

}  // namespace tenon
