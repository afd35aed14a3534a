// SPDX-License-Identifier: Apache-2.0
// The middle of an image. The same as TorchRL's CenterCrop, which exchanges height and width: where the rest is odd,
// its half goes to the even neighbour.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "images/image_window.hpp"
#include "tenon/transform.hpp"

struct CentreCrop {
    std::string column;
    std::int64_t height;
    std::int64_t width;
    std::string layout;
    ImageWindow window;

    static constexpr auto options = std::tuple{
        tenon::option<&CentreCrop::column>("column", "observation", "which image"),
        tenon::required<&CentreCrop::height>("height", "[1,4096]", "of the rectangle, in pixels"),
        tenon::required<&CentreCrop::width>("width", "[1,4096]", "of the rectangle, in pixels"),
        tenon::option<&CentreCrop::layout>("layout", "chw", "chw|hwc", "whether channels are first or last"),
    };

    tenon::Spec change(const tenon::Spec& spec) {
        window = image_window(spec, layout, height, width);
        return windowed(spec, window);
    }

    void apply(std::span<const std::byte> in, std::span<std::byte> out) const {
        window.cut(in, out, half(window.rows_left()), half(window.columns_left()));
    }

private:
    static std::size_t half(std::size_t rest) {
        return static_cast<std::size_t>(std::nearbyint(static_cast<double>(rest) / 2));
    }
};
