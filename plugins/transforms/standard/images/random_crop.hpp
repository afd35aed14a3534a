// SPDX-License-Identifier: Apache-2.0
// A rectangle somewhere in an image, another one for every row. Without a size of its own the image is moved by at most
// `pad` pixels, which augments minibatches (Kostrikov et al. 2021, "Image augmentation is all you need").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "images/image_window.hpp"
#include "tenon/transform.hpp"

struct RandomCrop {
    std::string column;
    std::int64_t pad;
    std::int64_t height;
    std::int64_t width;
    std::string layout;
    ImageWindow window;

    static constexpr bool in_place = true;  // ImageWindow::cut moves pixels within an image
    static constexpr auto options = std::tuple{
        tenon::option<&RandomCrop::column>("column", "observation", "which image"),
        tenon::option<&RandomCrop::pad>("pad", 4, "[0,4096]",
                                        "how far the rectangle may reach beyond the edges, whose pixels are repeated"),
        tenon::option<&RandomCrop::height>("height", 0, "[0,4096]",
                                           "of the rectangle, in pixels; 0: that of the image"),
        tenon::option<&RandomCrop::width>("width", 0, "[0,4096]", "of the rectangle, in pixels; 0: that of the image"),
        tenon::option<&RandomCrop::layout>("layout", "chw", "chw|hwc", "whether channels are first or last"),
    };

    tenon::Spec change(const tenon::Spec& spec) {
        const ImageLayout image = image_layout(spec, layout);
        const auto or_all = [](std::int64_t given, std::size_t all) {
            return given == 0 ? static_cast<std::int64_t>(all) : given;
        };
        window = image_window(spec, layout, or_all(height, image.height), or_all(width, image.width), pad);
        return windowed(spec, window);
    }

    void apply(std::span<const std::byte> in, std::span<std::byte> out, tenon::Rng& rng) const {
        const std::size_t top = rng.below(window.rows_left() + 1);
        window.cut(in, out, top, rng.below(window.columns_left() + 1));
    }
};
