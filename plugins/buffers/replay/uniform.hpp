// SPDX-License-Identifier: Apache-2.0
// Uniform replay of complete transitions, with replacement.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>

#include "n_step.hpp"

struct Uniform : NStep {
    bool stratified = false;

    [[nodiscard]] tenon::SamplerPlan plan() const { return tenon::with_steps({.gathers = {{.source = "*"}}}, steps); }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) const {
        const std::span<float> real = steps > 1 ? rows.column<float>(0) : std::span<float>();
        if (stratified) {
            sample_parts(rng, buffer, rows, real);
            return;
        }
        const Until leaving{until};
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            set_steps(buffer, rows, row, buffer.at(rng.below(buffer.size())), steps, real, leaving);
        }
    }

    // Row i of n draws from the i-th of n equal parts of all transitions.
    [[gnu::noinline]] void sample_parts(tenon::Rng& rng, const tenon::Transitions& buffer,
                                        const tenon::SampleRows& rows, std::span<float> real) const {
        const Until leaving{until};
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const double share = (row + rng.uniform()) / rows.size();
            const auto number = static_cast<std::uint64_t>(share * static_cast<double>(buffer.size()));
            set_steps(buffer, rows, row, buffer.at(std::min(number, buffer.size() - 1)), steps, real, leaving);
        }
    }

    static constexpr auto options = std::tuple_cat(
        NStep::options, std::tuple{tenon::option<&Uniform::stratified>(
                            "stratified", false, "",
                            "row i of n draws from the i-th of n equal parts of the buffer (lane by lane, the oldest "
                            "first), in place of all of it")});
};
