// SPDX-License-Identifier: Apache-2.0
// Episodes begin where earlier ones have been, so that exploring goes on from there: the returning of Go-Explore
// (Ecoffet et al. 2021, arXiv 2004.12919). Each lane keeps the shortest way to every cell that it has seen, repeats the
// way to one of them, rather to those that it has chosen rarely, and then the policy acts. The state is not restored:
// in an env with chance a way may lead somewhere else, and the episode begins there.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "only_choice.hpp"
#include "tenon/options.hpp"
#include "tenon/wrapper.hpp"

struct GoBack {
    double share, resolution;
    std::int64_t most;
    std::string column;
    std::size_t number = 0;  // of the observation
    std::int32_t dtype = 0;

    static constexpr auto options = std::tuple{
        tenon::option<&GoBack::share>("share", 0.8, "[0,1]", "of the episodes begin where the lane has been"),
        tenon::option<&GoBack::column>("column", "observation", "the observation that tells where the lane is"),
        tenon::option<&GoBack::resolution>("resolution", 1.0, "(0,inf)",
                                           "observations whose numbers are the same after multiplying by it and "
                                           "rounding down are one cell"),
        tenon::option<&GoBack::most>("most", 1000, "[1,1000000]", "cells that a lane keeps")};

    struct Lane {
        std::vector<std::uint64_t> cells;             // by a hash of their numbers
        std::vector<std::vector<std::int64_t>> ways;  // the actions that lead there
        std::vector<std::int64_t> chosen;             // how often
        std::vector<std::int64_t> taken;              // actions since the env was reset
        std::vector<std::int64_t> left;               // those of a way that are to be repeated, the last one first
        void state(tenon::Archive& archive) { archive(cells, ways, chosen, taken, left); }
    };

    tenon::EnvSpec spec(tenon::EnvSpec inner) {
        require_choice(inner, 0);
        const auto found = std::ranges::find(inner.observations, column, &tenon::Spec::key);
        if (found == inner.observations.end()) {
            throw tenon::InvalidArgument("option 'column' is '" + column + "', which is no observation of the env");
        }
        number = static_cast<std::size_t>(found - inner.observations.begin());
        dtype = found->dtype;
        return inner;
    }

    bool begin(Lane& lane, const tenon::WrapperRow& row, tenon::Rng& rng) const {
        if (row.begins()) {
            const bool has_ended_on_the_way = !lane.left.empty();
            lane.taken.clear();
            lane.left.clear();
            if (!has_ended_on_the_way && rng.uniform() < share && !lane.cells.empty()) {
                const std::size_t cell = drawn(lane, rng);
                ++lane.chosen[cell];
                lane.left.assign(lane.ways[cell].rbegin(), lane.ways[cell].rend());
            }
        }
        if (lane.left.empty()) {
            return false;
        }
        row.inner_action<std::int64_t>()[0] = lane.left.back();
        lane.taken.push_back(lane.left.back());
        lane.left.pop_back();
        return true;
    }

    void step(Lane& lane, const tenon::WrapperRow& row) const {
        lane.taken.push_back(row.choice());
        if (row.done()) {
            return;
        }
        const std::uint64_t here = cell_of(row);
        const auto found = std::ranges::find(lane.cells, here);
        const auto cell = static_cast<std::size_t>(found - lane.cells.begin());
        if (found == lane.cells.end() && std::ssize(lane.cells) < most) {
            lane.cells.push_back(here);
            lane.ways.push_back(lane.taken);
            lane.chosen.push_back(0);
        } else if (found != lane.cells.end() && lane.taken.size() < lane.ways[cell].size()) {
            lane.ways[cell] = lane.taken;
        }
    }

private:
    [[nodiscard]] std::uint64_t cell_of(const tenon::WrapperRow& row) const {
        return tenon::with_dtype(dtype, [&](auto zero) {
            std::uint64_t hash = 0;
            for (const auto one : row.inner_observation<decltype(zero)>(number)) {
                const double rounded = std::floor(static_cast<double>(one) * resolution) + 0.0;  // no -0
                hash = (hash ^ std::bit_cast<std::uint64_t>(rounded)) * 0x9e3779b97f4a7c15U;
                hash ^= hash >> 32;
            }
            return hash;
        });
    }

    // In proportion to the inverse of the root of how often each was chosen.
    static std::size_t drawn(const Lane& lane, tenon::Rng& rng) {
        const auto weight = [](std::int64_t chosen) { return 1 / std::sqrt(static_cast<double>(chosen) + 1); };
        double all = 0;
        for (const std::int64_t chosen : lane.chosen) {
            all += weight(chosen);
        }
        double left = rng.uniform() * all;
        std::size_t cell = 0;
        while (cell + 1 < lane.chosen.size() && (left -= weight(lane.chosen[cell])) >= 0) {
            ++cell;
        }
        return cell;
    }
};
