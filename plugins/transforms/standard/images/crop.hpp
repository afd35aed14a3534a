// SPDX-License-Identifier: Apache-2.0
// A rectangle of an image. The same as TorchRL's Crop, which exchanges height and width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "images/image_window.hpp"
#include "tenon/transform.hpp"

struct Crop {
    std::string column;
    std::int64_t height;
    std::int64_t width;
    std::int64_t top;
    std::int64_t left;
    std::string layout;
    ImageWindow window;

    static constexpr auto options = std::tuple{
        tenon::option<&Crop::column>("column", "observation", "which image"),
        tenon::required<&Crop::height>("height", "[1,4096]", "of the rectangle, in pixels"),
        tenon::required<&Crop::width>("width", "[1,4096]", "of the rectangle, in pixels"),
        tenon::option<&Crop::top>("top", 0, "[0,4095]", "the rectangle's first row"),
        tenon::option<&Crop::left>("left", 0, "[0,4095]", "its first column"),
        tenon::option<&Crop::layout>("layout", "chw", "chw|hwc", "whether channels are first or last"),
    };

    tenon::Spec change(const tenon::Spec& spec) {
        window = image_window(spec, layout, height, width);
        if (static_cast<std::size_t>(top) > window.rows_left() ||
            static_cast<std::size_t>(left) > window.columns_left()) {
            throw tenon::InvalidArgument("the rectangle ends at row " + std::to_string(top + height) + " and column " +
                                         std::to_string(left + width) + ", outside of the " +
                                         std::to_string(window.from.height) + " x " +
                                         std::to_string(window.from.width) + " pixels of '" + spec.key + "'");
        }
        return windowed(spec, window);
    }

    void apply(std::span<const std::byte> in, std::span<std::byte> out) const {
        window.cut(in, out, static_cast<std::size_t>(top), static_cast<std::size_t>(left));
    }
};
