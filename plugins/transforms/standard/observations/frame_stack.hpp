// SPDX-License-Identifier: Apache-2.0
// Concatenates the last few observations along one of their dimensions, oldest first. The same as TorchRL's CatFrames;
// an episode begins with copies of its first observation, or with zeros (padding "constant").
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "observations/stacked_spec.hpp"
#include "tenon/transform.hpp"

struct FrameStack {
    std::vector<std::string> columns;
    std::int64_t frames;
    std::string padding;
    std::int64_t dim;
    std::vector<std::size_t> pieces;  // of each column's frame: what lies together in the stack

    static constexpr auto options = std::tuple{
        tenon::option<&FrameStack::columns>("columns", {"observation"}, "", "which observations"),
        tenon::option<&FrameStack::frames>("frames", 4, "[2,1000]", "number of observations to stack"),
        tenon::option<&FrameStack::padding>("padding", "same", "same|constant", "padding before an episode"),
        tenon::option<&FrameStack::dim>("dim", 0, "[-8,7]", "which dimension; -1 is the last one"),
    };

    struct Lane {
        std::vector<std::byte> stack;  // empty: an episode begins
        void state(tenon::Archive& archive) { archive(stack); }
    };

    void setup() { pieces.resize(columns.size()); }

    tenon::Spec change(const tenon::Spec& spec) {
        const std::size_t axis = stacked_axis(spec, dim);
        const auto which = static_cast<std::size_t>(std::ranges::find(columns, spec.key) - columns.begin());
        pieces[which] = pieces_before(spec, axis);
        return stacked_spec(spec, axis, frames);
    }

    static void begin(Lane& lane) { lane.stack.clear(); }

    [[nodiscard]] tenon::Arithmetic arithmetic(tenon::ColumnIndex which) const {
        return tenon::stacked(static_cast<std::uint64_t>(frames), pieces[which.value], padding == "same");
    }

    void apply(Lane& lane, std::span<const std::byte> in, std::span<std::byte> out, tenon::ColumnIndex which) const {
        const bool repeats = lane.stack.empty() && padding == "same";
        lane.stack.resize(out.size());
        const std::size_t piece = in.size() / pieces[which.value];
        const std::size_t stack = piece * static_cast<std::size_t>(frames);
        for (std::size_t i = 0; i < pieces[which.value]; ++i) {
            const auto from = in.subspan(i * piece, piece);
            const auto to = std::span(lane.stack).subspan(i * stack, stack);
            for (std::int64_t times = repeats ? frames : 1; times > 0; --times) {
                std::shift_left(to.begin(), to.end(), static_cast<std::ptrdiff_t>(piece));
                std::ranges::copy(from, to.last(piece).begin());
            }
        }
        std::ranges::copy(lane.stack, out.begin());
    }
};
