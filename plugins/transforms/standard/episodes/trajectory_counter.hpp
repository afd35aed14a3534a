// SPDX-License-Identifier: Apache-2.0
// The number of the episode, as an observation: of those of its lane, or one that no other episode of any lane has. The
// same as TorchRL's TrajCounter for one env; for several, TorchRL numbers episodes in the order in which they begin.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "tenon/transform.hpp"

struct TrajectoryCounter {
    std::string column;
    bool unique;
    std::int64_t lanes = 1;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::option<&TrajectoryCounter::column>("column", "traj_count", "the key of the number"),
        tenon::option<&TrajectoryCounter::unique>(
            "unique", false, "numbers episodes over all lanes: lane, lane + lanes, lane + 2 lanes and so on"),
    };

    struct Lane {
        std::int64_t begun = 0;
    };

    void wire(tenon::TransformSpecs& specs) {
        lanes = specs.lanes();
        specs.add(out, tenon::bounded(column, {}, 0, std::numeric_limits<double>::infinity(), TN_I64));
    }

    void write(const Lane& lane, const tenon::TransformRow& row) const {
        const std::int64_t number = lane.begun - 1;
        row.row<std::int64_t>(out)[0] = unique ? number * lanes + row.lane() : number;
    }

    void begin(Lane& lane, const tenon::TransformRow& row) const {
        ++lane.begun;
        write(lane, row);
    }

    void step(Lane& lane, const tenon::TransformRow& row) const { write(lane, row); }
};
