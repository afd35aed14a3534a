// SPDX-License-Identifier: Apache-2.0
// Sequences on a device: the rows of replay/slices.
#pragma once

#include <string>
#include <tuple>

#include "ring_draw.hpp"
#include "slices.cuh"

class SlicesOnDevice {
public:
    static constexpr bool only_on_device = true;

    void setup() {
        if (!strict_ && least_ > length_) {
            throw tenon::InvalidArgument("min_length is " + std::to_string(least_) + ", more than the " +
                                         std::to_string(length_) + " steps of a sequence");
        }
        shape_ = {.length = length_, .least = least_, .strict = strict_ ? 1U : 0U, .reach = Reach::kNone};
        if (!strict_) {
            shape_.reach = span_ == "left"    ? Reach::kLeft
                           : span_ == "right" ? Reach::kRight
                           : span_ == "both"  ? Reach::kBoth
                                              : Reach::kNone;
        }
    }

    [[nodiscard]] tenon::SamplerPlan plan() const {
        std::vector<tenon::SamplerColumn> columns;
        if (!strict_) {
            columns.push_back({.key = "mask", .dtype = TN_BOOL});
        }
        if (truncates_) {
            columns.push_back({.key = "next.truncated", .dtype = TN_BOOL});
            columns.push_back({.key = "next.done", .dtype = TN_BOOL});
        }
        return {.gathers = {{.source = "*"}}, .columns = std::move(columns), .time = length_};
    }

    void sample(tenon::Rng& /*rng*/, const tenon::Transitions& /*buffer*/, const tenon::SampleRows& /*rows*/) const {
        refuse_cpu();
    }

    void open(const tenon::DeviceRoom& room) { draw_.open(room, "replay_draw_slices"); }

    void enqueue_sample(const tn_device_sample_call& call) {
        SliceFlags flags{};
        std::size_t column = 0;
        if (!strict_) {
            flags.mask = static_cast<std::uint8_t*>(call.columns[column++]);
        }
        if (truncates_) {
            flags.truncated = static_cast<std::uint8_t*>(call.columns[column++]);
            flags.done = static_cast<std::uint8_t*>(call.columns[column]);
        }
        draw_.enqueue(call, rows_of(call, 1, 0), shape_, flags, call.stream->fault);
    }

private:
    std::uint32_t length_ = 10;
    std::uint32_t least_ = 1;
    bool truncates_ = false;
    bool strict_ = true;
    std::string span_;

    Slicing shape_{};
    RingDraw draw_;

public:
    static constexpr auto options = std::tuple{
        tenon::option<&SlicesOnDevice::length_>("length", 10, "[1,100000]", "steps in a sequence"),
        tenon::option<&SlicesOnDevice::truncates_>(
            "truncate", false, "",
            "the last step of every sequence counts as truncated, unless its episode terminated there: returns "
            "computed over a sequence then end with a bootstrap value"),
        tenon::option<&SlicesOnDevice::strict_>(
            "strict", true, "",
            "only whole sequences; otherwise also shorter ones, padded with their last step and masked"),
        tenon::option<&SlicesOnDevice::least_>("min_length", 1, "[1,100000]",
                                               "real steps that a shorter sequence has at least"),
        tenon::option<&SlicesOnDevice::span_>(
            "span", "right", "none|left|right|both",
            "where sequences that are not strict may reach over their episode's ends, as in replay/slices")};
};
