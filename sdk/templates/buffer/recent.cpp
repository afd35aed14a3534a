// SPDX-License-Identifier: Apache-2.0
// Replay from the newest part of the buffer: draws uniformly, with replacement.
#include <algorithm>

#include <tenon/sampler.hpp>

struct Recent {
    double share;

    static constexpr auto options =
        std::tuple{tenon::option<&Recent::share>("share", 0.5, "(0,1]", "the newest fraction of each lane's frames")};

    // One array of rows, and for these rows every column that the objective reads.
    static tenon::SamplerPlan plan() { return {.gathers = {{.source = "*"}}}; }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) const {
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const std::uint32_t lane = buffer.at(rng.below(buffer.size())).lane;
            const std::uint32_t held = buffer.size_of(lane);
            const auto newest = std::max(1U, static_cast<std::uint32_t>(share * held));
            rows.set(row, buffer.at(lane, held - newest + static_cast<std::uint32_t>(rng.below(newest))));
        }
    }
};

TENON_PLUGIN("recent", "0.1.0", tenon::sampler<Recent>("recent", "the newest part of the buffer, uniformly"));
