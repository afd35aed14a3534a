// SPDX-License-Identifier: Apache-2.0
// The greatest of the last few observations, element by element. With padding "constant" the same as TorchRL's
// TimeMaxPool, where zeros precede each episode; with "same" only observations of the episode count.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct TimeMaxPool {
    std::vector<std::string> columns;
    std::int64_t frames;
    std::string padding;
    std::vector<std::int32_t> dtypes;  // of the columns

    static constexpr auto options = std::tuple{
        tenon::option<&TimeMaxPool::columns>("columns", {"observation"}, "", "which observations"),
        tenon::option<&TimeMaxPool::frames>("frames", 2, "[2,1000]", "number of observations"),
        tenon::option<&TimeMaxPool::padding>("padding", "same", "same|constant",
                                             "what precedes an episode: its first observation, or zeros"),
    };

    struct Lane {
        std::int64_t seen = 0;          // in the episode
        std::vector<std::byte> latest;  // a ring of rows
        void state(tenon::Archive& archive) { archive(seen, latest); }
    };

    void setup() { dtypes.resize(columns.size()); }

    tenon::Spec change(tenon::Spec spec) {
        if (spec.kind != TN_SPEC_BOUNDED && spec.kind != TN_SPEC_UNBOUNDED && spec.kind != TN_SPEC_BINARY) {
            throw tenon::InvalidArgument("column '" + spec.key + "' is categorical, and categories have no order");
        }
        dtypes[static_cast<std::size_t>(std::ranges::find(columns, spec.key) - columns.begin())] = spec.dtype;
        for (double& bound : spec.high) {
            bound = padding == "constant" ? std::max(bound, 0.0) : bound;
        }
        return spec;
    }

    static void begin(Lane& lane) {
        lane.seen = 0;
        std::ranges::fill(lane.latest, std::byte{});
    }

    void apply(Lane& lane, std::span<const std::byte> in, std::span<std::byte> out, tenon::ColumnIndex which) const {
        const auto rows = static_cast<std::size_t>(frames);
        lane.latest.resize(in.size() * rows);
        const std::size_t at = static_cast<std::size_t>(lane.seen) % rows;
        std::ranges::copy(in, lane.latest.begin() + static_cast<std::ptrdiff_t>(at * in.size()));
        ++lane.seen;
        const std::size_t full = padding == "constant" ? rows : std::min(static_cast<std::size_t>(lane.seen), rows);
        std::copy_n(lane.latest.begin(), out.size(), out.begin());
        tenon::with_dtype(dtypes[which.value], [&](auto zero) {
            using E = decltype(zero);
            auto* const greatest = static_cast<E*>(static_cast<void*>(out.data()));
            const auto* const row = static_cast<const E*>(static_cast<const void*>(lane.latest.data()));
            const std::size_t size = out.size() / sizeof(E);
            for (std::size_t other = 1; other < full; ++other) {
                for (std::size_t i = 0; i < size; ++i) {
                    greatest[i] = std::max(greatest[i], row[other * size + i]);
                }
            }
        });
    }
};
