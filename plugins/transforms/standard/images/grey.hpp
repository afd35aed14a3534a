// SPDX-License-Identifier: Apache-2.0
// The brightness of coloured images by ITU-R BT.601, 0.299 red + 0.587 green + 0.114 blue. Bytes equal those of
// OpenCV's cvtColor with COLOR_RGB2GRAY.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "images/image_layout.hpp"
#include "tenon/transform.hpp"

struct Grey {
    std::string column;
    std::string layout;
    ImageLayout from;
    std::int32_t dtype = 0;

    static constexpr auto options = std::tuple{
        tenon::option<&Grey::column>("column", "observation", "which image; it has the channels red, green and blue"),
        tenon::option<&Grey::layout>("layout", "chw", "chw|hwc", "whether channels are first or last"),
    };

    tenon::Spec change(tenon::Spec spec) {
        from = image_layout(spec, layout);
        if (from.planes * from.together != 3) {
            throw tenon::InvalidArgument("column '" + spec.key + "' has " +
                                         std::to_string(from.planes * from.together) +
                                         " channels, and red, green and blue are 3; 'layout' says where they are");
        }
        dtype = spec.dtype;
        spec.shape[layout == "chw" ? 0 : 2] = 1;
        mix_bounds(spec);
        return spec;
    }

    void apply(std::span<const std::byte> in, std::span<std::byte> out) const {
        if (dtype == TN_U8) {
            mix<std::uint8_t>(in.data(), out.data());
        } else {
            mix<float>(in.data(), out.data());
        }
    }

private:
    static std::uint8_t brightness(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
        constexpr int kBits = 15;  // of fractions
        return static_cast<std::uint8_t>((red * 9798 + green * 19235 + blue * 3735 + (1 << (kBits - 1))) >> kBits);
    }
    static float brightness(float red, float green, float blue) {
        return red * 0.299F + green * 0.587F + blue * 0.114F;
    }

    template <class E>
    void mix(const std::byte* in, std::byte* out) const {
        const std::size_t pixels = from.height * from.width;
        const std::size_t step = from.together;                    // from a pixel to the next
        const std::size_t next = from.together == 3 ? 1 : pixels;  // from a channel to the next
        const auto at = [&](std::size_t i) {
            E element;
            std::memcpy(&element, in + i * sizeof(E), sizeof element);
            return element;
        };
        for (std::size_t i = 0; i < pixels; ++i) {
            const E grey = brightness(at(i * step), at(i * step + next), at(i * step + 2 * next));
            std::memcpy(out + i * sizeof(E), &grey, sizeof grey);
        }
    }
};
