// SPDX-License-Identifier: Apache-2.0
// Reads an observation of several dimensions as one row, in the order in which it is stored: networks of vectors then
// read matrices.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "tenon/transform.hpp"

struct Flatten {
    std::string column;

    static constexpr auto options = std::tuple{
        tenon::option<&Flatten::column>("column", "observation", "which observation"),
    };

    [[nodiscard]] static tenon::Spec change(tenon::Spec spec) {
        spec.shape = {spec.elements()};
        return spec;
    }

    static void apply(std::span<const std::byte> in, std::span<std::byte> out) { std::ranges::copy(in, out.begin()); }
};
