// SPDX-License-Identifier: Apache-2.0
// Uniform replay of frames, each with a window around it: columns of the steps before and after it in its episode, as
// window.COLUMN with one place per step. Places outside of the episode repeat its nearest step, and window.present is
// false there. Decision Transformer learns from the steps before a frame, action chunking from those after it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "best_episodes.hpp"
#include "sequence.hpp"

class Windows {
public:
    void setup() { strict_ = padding_ == "none"; }

    [[nodiscard]] std::vector<tenon::ReadColumn> reads() const {
        return share_ < 1 ? std::vector<tenon::ReadColumn>{{.key = ranked_by_}} : std::vector<tenon::ReadColumn>{};
    }

    [[nodiscard]] tenon::SamplerPlan plan() const {
        tenon::SamplerPlan out{.gathers = {{.source = "*", .array = length()}}, .arrays = length() + 1};
        for (const std::string& column : names_) {
            out.gathers.push_back(
                {.source = column, .target = "window." + column, .array = 0, .count = length(), .keep_size = true});
        }
        out.columns.push_back({.key = "window.present", .dtype = TN_BOOL, .size = length()});
        return out;
    }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) const {
        if (share_ < 1) {
            best_.follow(buffer, ranked_by_, share_);
        }
        const std::span<bool> present = rows.column<bool>(0);
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const Reach reach = draw(rng, buffer);
            set(buffer, rows, row, reach, present.subspan(std::size_t{row} * length(), length()));
        }
    }

private:
    // A frame, and how many steps of its episode are held before and after it, up to the window's ends.
    struct Reach {
        tenon::SlotLane at;
        std::uint32_t before = 0;
        std::uint32_t after = 0;
    };

    [[nodiscard]] std::uint32_t length() const { return before_ + 1 + after_; }

    [[nodiscard]] Reach reach_of(const tenon::Transitions& buffer, tenon::SlotLane at) const {
        Reach out{.at = at};
        tenon::SlotLane first = at;
        for (; out.before < before_ && buffer.came_from(first); ++out.before) {
            first = buffer.before(first);
        }
        tenon::SlotLane last = at;
        for (; out.after < after_ && buffer.goes_on(last); ++out.after) {
            last = buffer.after(last);
        }
        return out;
    }

    [[nodiscard]] bool fits(const tenon::Transitions& buffer, const Reach& reach) const {
        if (strict_ && (reach.before < before_ || reach.after < after_)) {
            return false;
        }
        return !ended_ || has_ended(buffer, reach.at);
    }

    // Whether the buffer holds the last step of the frame's episode.
    [[nodiscard]] static bool has_ended(const tenon::Transitions& buffer, tenon::SlotLane at) {
        while (buffer.goes_on(at)) {
            at = buffer.after(at);
        }
        return buffer.ends_episode(at);
    }

    // Rejection sampling, which is uniform over all frames that fit; if hardly any fits, takes the next one that does.
    [[nodiscard]] Reach draw(tenon::Rng& rng, const tenon::Transitions& buffer) const {
        std::uint64_t number = 0;
        for (int tries = 0; tries < kTries; ++tries) {
            if (share_ < 1) {
                if (const Reach reach = reach_of(buffer, best_.draw(rng, buffer)); fits(buffer, reach)) {
                    return reach;
                }
                continue;
            }
            number = rng.below(buffer.size());
            if (const Reach reach = reach_of(buffer, buffer.at(number)); fits(buffer, reach)) {
                return reach;
            }
        }
        for (std::uint64_t i = 0; share_ == 1 && i < buffer.size(); ++i) {
            if (const Reach reach = reach_of(buffer, buffer.at((number + i) % buffer.size())); fits(buffer, reach)) {
                return reach;
            }
        }
        throw tenon::FailedPrecondition(
            "the buffer holds no frame with " + std::to_string(before_) + " steps before it and " +
            std::to_string(after_) + " after it in " +
            (share_ < 1 ? "one of its best episodes"
             : ended_   ? "an episode that has ended"
                        : "its episode") +
            "; collect more before the first update (train.start_frames), or use a smaller window or padding");
    }

    void set(const tenon::Transitions& buffer, const tenon::SampleRows& rows, std::uint32_t row, const Reach& reach,
             std::span<bool> present) const {
        const std::uint32_t real = reach.before + 1 + reach.after;
        const std::uint32_t offset = padding_ == "left"    ? length() - real
                                     : padding_ == "right" ? 0
                                                           : before_ - reach.before;
        rows.set(row, reach.at, length());
        tenon::SlotLane at = buffer.before(reach.at, reach.before);
        for (std::uint32_t place = 0; place < length(); ++place) {
            present[place] = place >= offset && place < offset + real;
            rows.set(row, at, place);
            if (present[place] && place + 1 < offset + real) {
                at = buffer.after(at);
            }
        }
    }

    static constexpr int kTries = 1000;

    std::uint32_t before_ = 0;
    std::uint32_t after_ = 0;
    std::vector<std::string> names_;
    std::string padding_;
    bool ended_ = false;
    bool strict_ = false;
    double share_ = 1;
    std::string ranked_by_;
    mutable BestEpisodes best_;  // found again from the buffer, so it is not saved

public:
    static constexpr auto options = std::tuple{
        tenon::option<&Windows::before_>("before", 0, "[0,2047]", "steps before the frame"),
        tenon::option<&Windows::after_>("after", 0, "[0,2047]", "steps after it"),
        tenon::option<&Windows::names_>("columns", {"observation", "action"}, "",
                                        "the columns of all places, which are named window.COLUMN"),
        tenon::option<&Windows::padding_>(
            "padding", "in_place", "in_place|left|right|none",
            "where padding is if the window reaches beyond the episode: where steps are missing, so that the frame "
            "keeps its place; on the left or on the right of all steps; or no such frames are drawn"),
        tenon::option<&Windows::ended_>("ended", false, "", "only frames of episodes whose last step is held"),
        tenon::option<&Windows::share_>("share", 1.0, "(0,1]",
                                        "below 1: only frames of the best whole episodes, which have at least this "
                                        "share of the frames of all"),
        tenon::option<&Windows::ranked_by_>("ranked_by", "reward", "",
                                            "the column whose sum ranks episodes, as it is stored")};
};
