// SPDX-License-Identifier: Apache-2.0
// Uniform replay of complete transitions, with replacement.
#pragma once

#include "n_step.hpp"

struct Uniform {
    std::uint32_t steps = 1;

    [[nodiscard]] tenon::SamplerPlan plan() const { return with_steps({.gathers = {{.source = "*"}}}, steps); }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) const {
        const std::span<float> real = steps > 1 ? rows.column<float>(0) : std::span<float>();
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            set_steps(buffer, rows, row, buffer.at(rng.below(buffer.size())), steps, real);
        }
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Uniform::steps>("n_step", 1, "[1,1000]", "consecutive steps of an episode in a row (n-step)")};
};
