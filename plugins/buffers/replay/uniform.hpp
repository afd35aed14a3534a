// SPDX-License-Identifier: Apache-2.0
// Replay with every complete transition equally likely, drawn with replacement.
#pragma once

#include "tenon/sampler.hpp"

struct Uniform {
    static tenon::SamplerPlan plan() { return {.gathers = {{.source = "*"}}}; }

    static void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            rows.set(row, buffer.at(rng.below(buffer.size())));
        }
    }
};
