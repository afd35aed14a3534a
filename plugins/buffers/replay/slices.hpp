// SPDX-License-Identifier: Apache-2.0
// Replay of sequences: consecutive steps of one episode, with every start equally likely. If shorter ones are allowed,
// the last step is repeated at the end of the episode, and the repetitions do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "sequence.hpp"

struct Slices {
    std::uint32_t length = 10;
    bool strict = true;

    [[nodiscard]] tenon::SamplerPlan plan() const { return plan_of_sequences(length, !strict); }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) const {
        const std::span<bool> mask = strict ? std::span<bool>() : rows.column<bool>(0);
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            set_sequence(buffer, rows, row, start(rng, buffer), length, mask);
        }
    }

    static constexpr auto options =
        std::tuple{tenon::option<&Slices::length>("length", 10, "[1,100000]", "steps in a sequence"),
                   tenon::option<&Slices::strict>(
                       "strict", true, "",
                       "only whole sequences; otherwise also shorter ones, padded with their last step and masked")};

private:
    // Rejection sampling, which is uniform over all valid starts; if there are hardly any, takes the next valid one.
    [[nodiscard]] tenon::SlotLane start(tenon::Rng& rng, const tenon::Transitions& buffer) const {
        std::uint64_t number = 0;
        for (int tries = 0; tries < kTries; ++tries) {
            number = rng.below(buffer.size());
            if (!strict || fits(buffer, buffer.at(number))) {
                return buffer.at(number);
            }
        }
        for (std::uint64_t i = 0; i < buffer.size(); ++i) {
            const tenon::SlotLane at = buffer.at((number + i) % buffer.size());
            if (fits(buffer, at)) {
                return at;
            }
        }
        throw_no_sequence(length);
    }

    [[nodiscard]] bool fits(const tenon::Transitions& buffer, tenon::SlotLane at) const {
        for (std::uint32_t step = 1; step < length; ++step, at = buffer.after(at)) {
            if (!buffer.goes_on(at)) {
                return false;
            }
        }
        return true;
    }

    static constexpr int kTries = 1000;
};
