// SPDX-License-Identifier: Apache-2.0
// For tests: lanes with random episodes in a ring buffer that is overwritten, and a record of all their steps, with
// which a simple reference computes what a sampler should do.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/sampler_rig.hpp"

namespace ring_world {

inline std::uint32_t below(std::mt19937& dice, std::uint32_t n) {
    return static_cast<std::uint32_t>(dice() % n);
}

struct World {
    World(tenon::test::SamplerRig& rig, std::uint32_t slot_count, std::uint32_t lane_count)
        : sampler(rig), slots(slot_count), ends(lane_count), first(lane_count), count(lane_count) {
        sampler.ring = slots;
        sampler.terminated.assign(std::size_t{slots} * lane_count, 0);
        sampler.truncated = sampler.terminated;
    }

    // Each lane's next step: 0 goes on, 1 terminates, 2 truncates.
    void step(const std::vector<int>& how) {
        for (std::size_t lane = 0; lane < ends.size(); ++lane) {
            const std::size_t at = sampler.appended % slots * ends.size() + lane;
            sampler.terminated[at] = how[lane] == 1 ? 1 : 0;
            sampler.truncated[at] = how[lane] == 2 ? 1 : 0;
            ends[lane].push_back(how[lane]);
            if (gone != lane && ++count[lane] == slots) {
                --count[lane];
            }
            first[lane] = static_cast<std::uint32_t>(oldest(lane) % slots);
        }
        ++sampler.appended;
    }
    void step(std::mt19937& dice, std::uint32_t mean_length) {
        std::vector<int> how;
        for (std::size_t lane = 0; lane < ends.size(); ++lane) {
            how.push_back(below(dice, mean_length) == 0 ? 1 + static_cast<int>(below(dice, 2)) : 0);
        }
        step(how);
    }
    void lose(std::uint32_t lane) {
        gone = lane;
        count[lane] = 0;
    }

    // Another sampler of the same buffer.
    void show(tenon::test::SamplerRig& other) const {
        other.ring = sampler.ring;
        other.appended = sampler.appended;
        other.terminated = sampler.terminated;
        other.truncated = sampler.truncated;
    }

    // Steps are numbered from the lane's beginning. Held are oldest() .. size() - 1.
    [[nodiscard]] std::size_t oldest(std::size_t lane) const { return ends[lane].size() - count[lane]; }
    [[nodiscard]] std::size_t step_at(std::size_t lane, std::uint32_t slot) const {
        return oldest(lane) + (slot + slots - first[lane]) % slots;
    }
    // The first and the last step of the step's episode, whether held or not; of a running one the newest.
    [[nodiscard]] std::size_t begin_of(std::size_t lane, std::size_t step) const {
        while (step > 0 && ends[lane][step - 1] == 0) {
            --step;
        }
        return step;
    }
    [[nodiscard]] std::size_t end_of(std::size_t lane, std::size_t step) const {
        while (step + 1 < ends[lane].size() && ends[lane][step] == 0) {
            ++step;
        }
        return step;
    }

    tenon::test::SamplerRig& sampler;
    std::uint32_t slots;
    std::vector<std::vector<int>> ends;  // [lane][step]
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> count;
    std::size_t gone = ~std::size_t{0};
};

// How many standard deviations the chi-square value of counts is above its mean, given the share of each.
template <class Counts, class Shares>
double excess(const Counts& counts, const Shares& shares, double draws) {
    double chi_square = 0;
    double all = 0;
    for (const auto& [key, share] : shares) {
        all += share;
    }
    for (const auto& [key, share] : shares) {
        const double expected = draws * share / all;
        const auto found = counts.find(key);
        const double times = found == counts.end() ? 0 : static_cast<double>(found->second);
        chi_square += (times - expected) * (times - expected) / expected;
    }
    const auto freedom = static_cast<double>(shares.size()) - 1;
    return freedom < 1 ? 0 : (chi_square - freedom) / std::sqrt(2 * freedom);
}

}  // namespace ring_world
