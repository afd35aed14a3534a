// SPDX-License-Identifier: Apache-2.0
// Rows that are sequences: consecutive steps of one episode. Where the episode ends earlier, the last step is repeated,
// and a column `mask` says which steps are real.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>

#include "tenon/sampler.hpp"

// Consecutive steps of an episode.
struct Window {
    tenon::SlotLane first;
    std::uint32_t steps;
};

// What samplers of sequences share.
class Sequences {
public:
    [[nodiscard]] std::uint32_t length() const { return length_; }

protected:
    // The columns of sequences follow those that the plan already has.
    [[nodiscard]] tenon::SamplerPlan plan_of(std::vector<tenon::SamplerColumn> columns, bool masked) const {
        if (masked) {
            columns.push_back({.key = "mask", .dtype = TN_BOOL});
        }
        if (truncates_) {
            columns.push_back({.key = "next.truncated", .dtype = TN_BOOL});
            columns.push_back({.key = "next.done", .dtype = TN_BOOL});
        }
        return {.gathers = {{.source = "*"}}, .columns = std::move(columns), .time = length_};
    }

    // Sets rows; `first` is the number of the plan's column with the mask, or of the one that would follow it.
    class Setter {
    public:
        Setter(const Sequences& sequences, const tenon::Transitions& buffer, const tenon::SampleRows& rows,
               std::size_t first, bool masked)
            : buffer_(&buffer), rows_(&rows), length_(sequences.length_) {
            if (masked) {
                mask_ = rows.column<bool>(first++);
            }
            if (sequences.truncates_) {
                truncated_ = rows.column<bool>(first);
                done_ = rows.column<bool>(first + 1);
            }
        }

        // Sets a row to the first `steps` steps from `at` on, which belong to one episode; if they are fewer than a
        // sequence, repeats the last one.
        void set(std::uint32_t row, tenon::SlotLane at, std::uint32_t steps) const {
            for (std::uint32_t step = 0; step < length_; ++step) {
                rows_->set_step(step, row, at);
                at = step + 1 < steps ? buffer_->after(at) : at;
            }
            for (std::uint32_t step = 0; !mask_.empty() && step < length_; ++step) {
                mask_[rows_->place(step, row)] = step < steps;
            }
            for (std::uint32_t step = 0; !truncated_.empty() && step < length_; ++step) {
                done_[rows_->place(step, row)] = step + 1 >= steps;
                truncated_[rows_->place(step, row)] = step + 1 >= steps && !buffer_->terminated(at);
            }
        }

    private:
        const tenon::Transitions* buffer_;
        const tenon::SampleRows* rows_;
        std::uint32_t length_;
        std::span<bool> mask_, truncated_, done_;
    };

    // How many steps of the episode the buffer holds from `at` on, counted up to `most`.
    [[nodiscard]] static std::uint32_t steps_from(const tenon::Transitions& buffer, tenon::SlotLane at,
                                                  std::uint32_t most) {
        std::uint32_t steps = 1;
        for (; steps < most && buffer.goes_on(at); ++steps) {
            at = buffer.after(at);
        }
        return steps;
    }

    [[noreturn]] static void throw_none(std::uint32_t steps) {
        throw tenon::FailedPrecondition("the buffer holds no " + std::to_string(steps) +
                                        " steps of one episode yet; collect more before the first update "
                                        "(train.start_frames), or use shorter sequences");
    }

private:
    std::uint32_t length_ = 10;
    bool truncates_ = false;

public:
    static constexpr auto options =
        std::tuple{tenon::option<&Sequences::length_>("length", 10, "[1,100000]", "steps in a sequence"),
                   tenon::option<&Sequences::truncates_>(
                       "truncate", false, "",
                       "the last step of every sequence counts as truncated, unless its episode terminated there: "
                       "returns computed over a sequence then end with a bootstrap value")};
};
