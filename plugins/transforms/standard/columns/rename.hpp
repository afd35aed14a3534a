// SPDX-License-Identifier: Apache-2.0
// Renames columns.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct Rename {
    std::vector<std::string> columns;
    std::vector<std::string> to;

    static constexpr auto options = std::tuple{
        tenon::required<&Rename::columns>("columns", "", "the keys to rename"),
        tenon::required<&Rename::to>("to", "", "their new keys, in the same order"),
    };

    void setup() const {
        if (columns.size() != to.size()) {
            throw tenon::InvalidArgument("options 'columns' and 'to' have " + std::to_string(columns.size()) + " and " +
                                         std::to_string(to.size()) + " keys; each key needs one new key");
        }
    }

    [[nodiscard]] tenon::Spec change(tenon::Spec spec) const {
        spec.key = to[static_cast<std::size_t>(std::ranges::find(columns, spec.key) - columns.begin())];
        return spec;
    }

    static void apply(std::span<const std::byte> in, std::span<std::byte> out) { std::ranges::copy(in, out.begin()); }
    static void invert(std::span<const std::byte> outer, std::span<std::byte> inner) {
        std::ranges::copy(outer, inner.begin());
    }
};
