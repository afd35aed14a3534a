// SPDX-License-Identifier: Apache-2.0
// Replay that prefers recent frames. A frame's staleness is the number of intervals of `every` steps since it was
// collected, for example of rounds of learning; its weight falls with that, and beyond a limit it is not drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "n_step.hpp"
#include "powers.hpp"

class Recent : public NStep {
public:
    [[nodiscard]] tenon::SamplerPlan plan() const { return tenon::with_steps({.gathers = {{.source = "*"}}}, steps); }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        weigh(buffer);
        const double most = std::nextafter(lanes_.back(), 0.0);
        const std::span<float> real = steps > 1 ? rows.column<float>(0) : std::span<float>();
        const Until leaving{until};
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const double mass = std::min(rng.uniform() * lanes_.back(), most);
            const auto lane =
                static_cast<std::uint32_t>(std::upper_bound(lanes_.begin(), lanes_.end(), mass) - lanes_.begin());
            const std::uint32_t age = age_at(mass - (lane == 0 ? 0 : lanes_[lane - 1]), buffer.size_of(lane));
            set_steps(buffer, rows, row, buffer.at(lane, buffer.size_of(lane) - 1 - age), steps, real, leaving);
        }
    }

    // Weights depend on the options and the buffer alone.
    static void state(tenon::Archive& /*archive*/) {}

private:
    // The sums of the weights of a lane's frames up to each staleness, and of each lane's frames.
    void weigh(const tenon::Transitions& buffer) {
        if (sums_.empty() || slots_ != buffer.slots()) {
            slots_ = buffer.slots();
            sums_.assign(1, 0);
            for (std::uint64_t stale = 0; stale * every_ < slots_; ++stale) {
                sums_.push_back(sums_.back() + static_cast<double>(every_) * weight(stale));
            }
            lanes_.resize(buffer.lanes());
        }
        double sum = 0;
        for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
            sum += up_to(buffer.size_of(lane));
            lanes_[lane] = sum;
        }
    }

    [[nodiscard]] double weight(std::uint64_t stale) const {
        if (limit_ > 0 && stale > limit_) {
            return 0;
        }
        const auto s = static_cast<double>(stale);
        return falls_ == "inverse"   ? 1 / (s + 1)
               : falls_ == "halving" ? powers::of(0.5F, powers::Split(static_cast<float>(s / half_life_)))
                                     : 1;
    }

    // The weights of so many of a lane's newest frames together.
    [[nodiscard]] double up_to(std::uint32_t frames) const {
        const std::uint64_t whole = frames / every_;
        return sums_[whole] + (frames % every_ == 0 ? 0 : static_cast<double>(frames % every_) * weight(whole));
    }

    // The steps since the frame at which the sum of weights, from the newest on, exceeds a number.
    [[nodiscard]] std::uint32_t age_at(double mass, std::uint32_t held) const {
        const auto above = std::upper_bound(sums_.begin() + 1, sums_.end() - 1, mass);
        const auto stale = static_cast<std::uint64_t>(above - sums_.begin()) - 1;
        const double one = (*above - sums_[stale]) / static_cast<double>(every_);
        const double inside = one > 0 ? std::min((mass - sums_[stale]) / one, static_cast<double>(every_ - 1)) : 0;
        const std::uint64_t age = stale * every_ + static_cast<std::uint64_t>(std::max(inside, 0.0));
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(age, held - 1));
    }

    std::string falls_;
    double half_life_ = 1;
    std::uint64_t every_ = 1;
    std::uint64_t limit_ = 0;

    std::uint32_t slots_ = 0;
    std::vector<double> sums_;
    std::vector<double> lanes_;

public:
    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::option<&Recent::falls_>("weight", "inverse", "inverse|halving|equal",
                                           "how the weight falls with staleness s: 1 / (s + 1), to the half with every "
                                           "half_life, or not at all"),
            tenon::option<&Recent::half_life_>("half_life", 1.0, "(0,inf)",
                                               "staleness of half the weight, for halving"),
            tenon::option<&Recent::every_>(
                "every", 1, "[1,2147483647]",
                "steps of a lane in which staleness grows by 1: train.batch / env.lanes counts "
                "rounds of learning"),
            tenon::option<&Recent::limit_>("max_staleness", 0, "[0,2147483647]",
                                           "frames that are staler are not drawn; 0: no limit")},
        NStep::options);
};
