// SPDX-License-Identifier: Apache-2.0
// The return that the policy shall reach from here on, as an observation: a number at the start of an episode, from
// which the rewards are taken away. The same as TorchRL's TargetReturn, but subtracted in double precision.
#pragma once

#include <string>

#include "rewards/single_reward.hpp"
#include "tenon/transform.hpp"

struct TargetReturn {
    double target;
    std::string mode;
    std::string reward;
    std::string column;
    tenon::Port in;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::required<&TargetReturn::target>("target", "(-inf,inf)", "the return of the whole episode"),
        tenon::option<&TargetReturn::mode>("mode", "reduce", "reduce|constant",
                                           "whether rewards reduce it, or it stays the same"),
        tenon::option<&TargetReturn::reward>("reward", "reward", "the reward that reduces it"),
        tenon::option<&TargetReturn::column>("column", "target_return", "the key of the observation"),
    };

    struct Lane {
        double left = 0;
    };

    void wire(tenon::TransformSpecs& specs) {
        specs.read(in, reward);
        require_single_reward(in.spec);
        specs.add(out, tenon::unbounded(column));
    }

    void begin(Lane& lane, const tenon::TransformRow& row) const {
        lane.left = target;
        row.set_number(out, lane.left);
    }

    void step(Lane& lane, const tenon::TransformRow& row) const {
        lane.left -= mode == "reduce" ? row.number(in) : 0;
        row.set_number(out, lane.left);
    }
};
