// SPDX-License-Identifier: Apache-2.0
// Replay of sequences: consecutive steps of one episode, drawn uniformly. If shorter ones are allowed, the last step is
// repeated, and the repetitions do not count.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "sequence.hpp"

class Slices : public Sequences {
public:
    [[nodiscard]] tenon::SamplerPlan plan() const { return plan_of({}, !strict_); }

    void sample(const tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) const {
        const Setter to(*this, buffer, rows, 0, !strict_);
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            tenon::Rng own = rng.branch(row);  // so that rows can be drawn at the same time (replay_cuda)
            const Window window = draw(own, buffer);
            to.set(row, window.first, window.steps);
        }
    }

    void setup() {
        if (!strict_ && least_ > length()) {
            throw tenon::InvalidArgument("min_length is " + std::to_string(least_) + ", more than the " +
                                         std::to_string(length()) + " steps of a sequence");
        }
        reach_ = strict_            ? Reach::kNone
                 : span_ == "left"  ? Reach::kLeft
                 : span_ == "right" ? Reach::kRight
                 : span_ == "both"  ? Reach::kBoth
                                    : Reach::kNone;
    }

private:
    enum class Reach : std::uint8_t { kNone, kLeft, kRight, kBoth };

    // Rejection sampling, which is uniform over all valid draws; if there are hardly any, takes the next valid one.
    [[nodiscard]] Window draw(tenon::Rng& rng, const tenon::Transitions& buffer) const {
        std::uint64_t number = 0;
        for (int tries = 0; tries < kTries; ++tries) {
            number = rng.below(buffer.size());
            const Window window = of(buffer, buffer.at(number), reach_ == Reach::kBoth ? rng.below(length()) : 0);
            if (window.steps > 0) {
                return window;
            }
        }
        for (std::uint64_t i = 0; i < buffer.size(); ++i) {
            const Window window = of(buffer, buffer.at((number + i) % buffer.size()), 0);
            if (window.steps > 0) {
                return window;
            }
        }
        throw_none(strict_ ? length() : least_);
    }

    // The sequence that a transition stands for: its first step, its last one, or the one after `before` others. No
    // steps if it stands for none.
    [[nodiscard]] Window of(const tenon::Transitions& buffer, tenon::SlotLane at, std::uint64_t before) const {
        std::uint64_t left = reach_ == Reach::kLeft ? length() - 1 : before;  // steps to go back
        Window out{at, 0};
        while (left > 0 && buffer.came_from(out.first)) {
            out.first = buffer.before(out.first);
            --left;
        }
        const auto room = static_cast<std::uint32_t>(length() - left);
        out.steps = reach_ == Reach::kLeft ? room : steps_from(buffer, out.first, room);
        const bool whole = out.steps == length();
        const bool fits = reach_ != Reach::kNone ? out.steps >= least_
                          : strict_              ? whole
                                                 : whole || (out.steps >= least_ && !buffer.came_from(at));
        return fits ? out : Window{at, 0};
    }

    static constexpr int kTries = 1000;

    bool strict_ = true;
    std::uint32_t least_ = 1;
    std::string span_;
    Reach reach_ = Reach::kNone;

public:
    static constexpr auto options = std::tuple_cat(
        Sequences::options,
        std::tuple{tenon::option<&Slices::strict_>(
                       "strict", true, "",
                       "only whole sequences; otherwise also shorter ones, padded with their last step and masked"),
                   tenon::option<&Slices::least_>("min_length", 1, "[1,100000]",
                                                  "real steps that a shorter sequence has at least"),
                   tenon::option<&Slices::span_>(
                       "span", "right", "none|left|right|both",
                       "where sequences that are not strict may reach over their episode's ends, which leaves fewer "
                       "steps: over its last step (right: every step is equally likely to be the first of a "
                       "sequence), over its first (left: to be the last), over both (to be at any place), or not at "
                       "all (none: only episodes that are shorter than a sequence give shorter ones)")});
};
