// SPDX-License-Identifier: Apache-2.0
// Standard normal observations without end, for measurements that do not depend on an env.
#pragma once

#include "tenon/env.hpp"

struct Noise {
    std::int64_t observations;
    std::int64_t actions;
    std::int64_t categories;

    static constexpr auto options = std::tuple{
        tenon::option<&Noise::observations>("observations", 8, "[1,1000000]", "size of the observation"),
        tenon::option<&Noise::actions>("actions", 4, "[1,1000000]", "size of the action, with elements from -1 to 1"),
        tenon::option<&Noise::categories>("categories", 0, "[0,1000000]",
                                          "number of actions to choose from instead; 0: continuous actions")};

    tenon::EnvSpec spec() const {
        return {
            {tenon::unbounded("observation", {observations})},
            {categories > 0 ? tenon::categorical("action", categories) : tenon::bounded("action", {actions}, -1, 1)}};
    }

    static void reset(tenon::Rng& rng, const tenon::EnvRow& row) { show(rng, row); }

    static tenon::StepResult step(tenon::Rng& rng, const tenon::EnvRow& row) {
        show(rng, row);
        return {.reward = rng.normal()};
    }

    static void show(tenon::Rng& rng, const tenon::EnvRow& row) {
        std::ranges::generate(row.observation<float>(0), [&] { return static_cast<float>(rng.normal()); });
    }
};
