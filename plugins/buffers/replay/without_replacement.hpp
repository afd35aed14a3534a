// SPDX-License-Identifier: Apache-2.0
// Replay in passes: each pass draws what the buffer held at its beginning once, in random order. Frames that have been
// overwritten before their turn are passed over, and those that come later wait for the next pass. With `consume` each
// frame is drawn that many times and never again: in so many passes over the same frames, after which a pass has only
// newer ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "n_step.hpp"
#include "permutation.hpp"

class WithoutReplacement : public NStep {
public:
    [[nodiscard]] tenon::SamplerPlan plan() const { return tenon::with_steps({.gathers = {{.source = "*"}}}, steps); }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        if (buffer.lanes() != sums_.size()) {
            sums_.assign(buffer.lanes(), 0);
            order_ = {};
            place_ = until_ = left_ = 0;
        }
        const std::span<float> real = steps > 1 ? rows.column<float>(0) : std::span<float>();
        if (drop_last_ && order_.size - place_ < rows.size()) {
            begin(rng, buffer, rows.size());
        }
        for (std::uint32_t row = 0; row < rows.size();) {
            if (const std::optional<tenon::SlotLane> at = next(buffer)) {
                set_steps(buffer, rows, row++, *at, steps, real, {until});
                continue;
            }
            begin(rng, buffer, rows.size() - (drop_last_ ? 0 : row));
            row = drop_last_ ? 0 : row;
        }
    }

    void state(tenon::Archive& archive) {
        archive(order_, place_, until_, left_, sums_);
        if (archive.loading() && (sums_.empty() ? order_.size > 0 : sums_.back() != order_.size)) {
            throw tenon::DataLoss("saved state is damaged: its pass does not fit its lanes");
        }
    }

private:
    // The next transition of the pass that is still held; none at its end.
    std::optional<tenon::SlotLane> next(const tenon::Transitions& buffer) {
        while (place_ < order_.size) {
            const std::uint64_t number = order_(place_++);
            const auto lane =
                static_cast<std::uint32_t>(std::upper_bound(sums_.begin(), sums_.end(), number) - sums_.begin());
            // Steps of a lane are numbered from the run's beginning.
            const std::uint64_t step = until_ - (sums_[lane] - number);
            const std::uint32_t held = buffer.size_of(lane);
            const std::uint64_t oldest = buffer.appended() - held;
            if (held > 0 && step >= oldest) {
                return buffer.at(lane, static_cast<std::uint32_t>(step - oldest));
            }
        }
        return std::nullopt;
    }

    // Begins a pass, for so many rows that are still to be drawn.
    void begin(tenon::Rng& rng, const tenon::Transitions& buffer, std::uint32_t rows) {
        const bool again = left_ > 1;
        if (!again) {
            const std::uint64_t fresh = buffer.appended() - (consumes() ? until_ : 0);
            std::uint64_t sum = 0;
            for (std::uint32_t lane = 0; lane < sums_.size(); ++lane) {
                sum += std::min<std::uint64_t>(fresh, buffer.size_of(lane));
                sums_[lane] = sum;
            }
            until_ = buffer.appended();
        }
        const std::uint64_t sum = sums_.back();
        if (sum == 0 || (drop_last_ && sum < rows)) {
            throw tenon::FailedPrecondition(
                std::to_string(rows) + " rows are to be drawn without replacement, but the buffer has only " +
                std::to_string(sum) + (consumes() ? " frames that have not been consumed" : " frames") +
                "; collect more before an update (train.batch, train.start_frames), or learn from fewer rows "
                "(train.minibatch, train.updates_per_batch)");
        }
        left_ = again ? left_ - 1 : times_;
        place_ = 0;
        order_ = {.size = sum, .key = rng.bits()};
    }

    [[nodiscard]] bool consumes() const { return times_ > 0; }

    bool drop_last_ = false;
    std::uint32_t times_ = 0;

    Permutation order_;
    std::uint64_t place_ = 0;          // of the next number in the order
    std::uint64_t until_ = 0;          // steps of the buffer when its frames were taken
    std::uint64_t left_ = 0;           // passes over the same frames, with this one
    std::vector<std::uint64_t> sums_;  // frames of the lanes up to this one in the pass, each lane's newest then

public:
    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::option<&WithoutReplacement::drop_last_>(
                "drop_last", false, "",
                "a batch never has rows of two passes: the rest of a pass that is smaller than a batch is dropped"),
            tenon::option<&WithoutReplacement::times_>(
                "consume", 0, "[0,1000000]",
                "draws each frame this many times and never again; 0: pass after pass over all that is held")},
        NStep::options);
};
