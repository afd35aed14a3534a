// SPDX-License-Identifier: Apache-2.0
// Prioritised replay of sequences, as R2D2 (Kapturowski et al. 2019): every `stride` steps of an episode a sequence
// begins, and its priority is eta * the largest + (1 - eta) * the mean of its steps' priorities. Steps of burn-in and
// repeated steps do not count; a sequence without any other is not drawn again. A sequence can be drawn once its last
// step is stored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "by_priority.hpp"
#include "sequence.hpp"

class PrioritisedSlices : public ByPriority, public Sequences {
public:
    [[nodiscard]] tenon::SamplerPlan plan() const { return plan_of({{.key = "weight"}}, !strict_); }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        if (begin(buffer)) {
            steps_.assign(lanes(), 0);
        }
        follow(
            buffer, [&](tenon::SlotLane at, std::uint32_t lane, Item newest) { add(buffer, at, steps_[lane], newest); },
            [&](std::uint32_t lane) { steps_[lane] = 0; });
        if (!(tree().sum() > 0)) {
            throw_none(strict_ ? length() : least_);
        }
        draw(rng, rows.size());
        const Setter to(*this, buffer, rows, 1, !strict_);
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            to.set(row, drawn(row), strict_ ? length() : steps_from(buffer, drawn(row), length()));
        }
        const std::span<float> all = rows.column<float>(0);
        weigh(all.first(rows.size()));
        for (std::uint32_t step = 1; step < length(); ++step) {
            std::copy_n(all.begin(), rows.size(), all.begin() + static_cast<std::ptrdiff_t>(rows.place(step, 0)));
        }
    }

    void prioritise(const tenon::Priorities& rows) {
        const std::uint32_t sequences = rows.size() / length();
        const auto of = [&](std::size_t row) { return of_sequence(rows, static_cast<std::uint32_t>(row), sequences); };
        take(
            sequences, [&](std::size_t row) { return of(row).priority; },
            [&](std::size_t row) { return rows.at(static_cast<std::uint32_t>(row)); });
        for (std::uint32_t row = 0; row < sequences; ++row) {
            if (of(row).count == 0) {
                drop(rows.at(row));
            }
        }
    }

    void setup() {
        ByPriority::setup();
        stride_ = stride_ == 0 ? std::max(length() / 2, 1U) : stride_;
        if (!strict_ && least_ > length()) {
            throw tenon::InvalidArgument("min_length is " + std::to_string(least_) + ", more than the " +
                                         std::to_string(length()) + " steps of a sequence");
        }
    }

    void state(tenon::Archive& archive) {
        archive_items(archive);
        archive(steps_);
        if (archive.loading() && steps_.size() != lanes()) {
            throw tenon::DataLoss("saved state is damaged: its steps do not fit its lanes");
        }
    }

private:
    struct Sequence {
        double priority = 0;
        std::uint32_t count = 0;  // of steps that count
    };

    // A new transition, after `steps` others of its episode: completes the sequence that began length - 1 steps ago. At
    // the end of the episode it also completes shorter ones, or a last whole one, whatever the stride.
    void add(const tenon::Transitions& buffer, tenon::SlotLane at, std::uint32_t& steps, Item newest) {
        put(at, {});  // what began here has been overwritten
        const std::uint32_t had = steps++;
        const std::uint32_t held = std::min(steps, buffer.age(at) + 1);
        const bool ends = buffer.ends_episode(at);
        const auto begins = [&](std::uint32_t long_ago) {
            if (long_ago < held && ((had - long_ago) % stride_ == 0 || (ends && strict_))) {
                put(buffer.before(at, long_ago), newest);
            }
        };
        begins(length() - 1);
        if (!ends) {
            return;
        }
        for (std::uint32_t long_ago = length() - 1; !strict_ && long_ago-- > least_ - 1;) {
            begins(long_ago);
        }
        steps = 0;
    }

    [[nodiscard]] Sequence of_sequence(const tenon::Priorities& rows, std::uint32_t row,
                                       std::uint32_t sequences) const {
        Sequence out;
        double most = 0;
        double sum = 0;
        tenon::SlotLane before = rows.at(row);
        for (std::uint32_t step = 0; step < length(); ++step) {
            const std::uint32_t place = step * sequences + row;
            const tenon::SlotLane at = rows.at(place);
            if (step > 0 && at.slot == before.slot) {
                break;  // repeated
            }
            before = at;
            if (step >= rows.burn_in()) {
                const double priority = shaped(rows[place]);
                most = std::max(most, priority);
                sum += priority;
                ++out.count;
            }
        }
        out.priority = out.count == 0 ? 0 : eta_ * most + (1 - eta_) * sum / out.count;
        return out;
    }

    std::uint32_t stride_ = 0;
    bool strict_ = true;
    std::uint32_t least_ = 1;
    double eta_ = 0.9;

    std::vector<std::uint32_t> steps_;  // by lane: of its episode, up to its newest transition

public:
    static constexpr auto options = std::tuple_cat(
        ByPriority::options, Sequences::options,
        std::tuple{
            tenon::option<&PrioritisedSlices::stride_>(
                "stride", 0, "[0,100000]",
                "steps between the beginnings of an episode's sequences; 0: half a sequence, so that they overlap"),
            tenon::option<&PrioritisedSlices::strict_>(
                "strict", true, "",
                "only whole sequences; otherwise also shorter ones, padded with their last step and masked"),
            tenon::option<&PrioritisedSlices::least_>("min_length", 1, "[1,100000]",
                                                      "real steps that a shorter sequence has at least"),
            tenon::option<&PrioritisedSlices::eta_>(
                "eta", 0.9, "[0,1]",
                "weight of the largest priority among a sequence's steps; their mean has the rest")});
};
