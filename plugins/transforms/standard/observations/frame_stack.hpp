// SPDX-License-Identifier: Apache-2.0
// Concatenates the last few observations along their first dimension, oldest first. The same as TorchRL's CatFrames
// along it; an episode begins with copies of its first observation, or with zeros (padding "constant").
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct FrameStack {
    std::vector<std::string> columns;
    std::int64_t frames;
    std::string padding;

    static constexpr auto options = std::tuple{
        tenon::option<&FrameStack::columns>("columns", {"observation"}, "", "which observations"),
        tenon::option<&FrameStack::frames>("frames", 4, "[2,1000]", "number of observations to stack"),
        tenon::option<&FrameStack::padding>("padding", "same", "same|constant", "padding before an episode"),
    };

    struct Lane {
        std::vector<std::byte> stack;  // empty: an episode begins
        void state(tenon::Archive& archive) { archive(stack); }
    };

    [[nodiscard]] tenon::Spec change(tenon::Spec spec) const {
        if (spec.kind != TN_SPEC_BOUNDED && spec.kind != TN_SPEC_UNBOUNDED && spec.kind != TN_SPEC_BINARY) {
            throw tenon::InvalidArgument("column '" + spec.key + "' is categorical and cannot be stacked");
        }
        for (auto* bounds : {&spec.low, &spec.high}) {
            const std::size_t once = bounds->size();
            for (std::size_t i = once; once > 1 && i < once * static_cast<std::size_t>(frames); ++i) {
                bounds->push_back((*bounds)[i - once]);
            }
        }
        spec.shape.resize(std::max<std::size_t>(spec.shape.size(), 1), 1);
        spec.shape[0] *= frames;
        return spec;
    }

    static void begin(Lane& lane) { lane.stack.clear(); }

    void apply(Lane& lane, std::span<const std::byte> in, std::span<std::byte> out) const {
        const bool repeats = lane.stack.empty() && padding == "same";
        lane.stack.resize(out.size());
        for (std::int64_t times = repeats ? frames : 1; times > 0; --times) {
            std::shift_left(lane.stack.begin(), lane.stack.end(), static_cast<std::ptrdiff_t>(in.size()));
            std::ranges::copy(in, lane.stack.end() - static_cast<std::ptrdiff_t>(in.size()));
        }
        std::ranges::copy(lane.stack, out.begin());
    }
};
