// SPDX-License-Identifier: Apache-2.0
// Whether the observation is the first of its episode, as an observation for policies, like TorchRL's InitTracker.
// Updates do not need it: the host's own column is_init has the same content.
#pragma once

#include <string>

#include "tenon/transform.hpp"

struct InitTracker {
    std::string column;
    tenon::Port out;

    static constexpr auto options =
        std::tuple{tenon::option<&InitTracker::column>("column", "episode_start", "the key of the flag")};

    void wire(tenon::TransformSpecs& specs) { specs.add(out, tenon::binary(column, {})); }

    void begin(const tenon::TransformRow& row) const { row.row<bool>(out)[0] = true; }
    void step(const tenon::TransformRow& row) const { row.row<bool>(out)[0] = false; }
};
