// SPDX-License-Identifier: Apache-2.0
// A column that is an image: rows [channels, height, width], [height, width, channels] or [height, width].
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "tenon/guard.hpp"
#include "tenon/spec.hpp"

struct ImageLayout {
    std::size_t planes = 1;  // images one after the other
    std::size_t height = 0;
    std::size_t width = 0;
    std::size_t together = 1;  // channels of a pixel side by side
    std::size_t height_axis = 0;
};

// Throws if the column is no image of bytes or of float32.
inline ImageLayout image_layout(const tenon::Spec& spec, std::string_view layout) {
    const std::size_t rank = spec.shape.size();
    if (rank != 2 && rank != 3) {
        throw tenon::InvalidArgument("column '" + spec.key + "' has " + std::to_string(rank) +
                                     (rank == 1 ? " dimension" : " dimensions") +
                                     ", and an image has 3: channels, height and width");
    }
    if ((spec.dtype != TN_U8 && spec.dtype != TN_F32) ||
        (spec.kind != TN_SPEC_BOUNDED && spec.kind != TN_SPEC_UNBOUNDED)) {
        throw tenon::InvalidArgument("column '" + spec.key + "' has elements of type " + tenon::dtype_name(spec.dtype) +
                                     ", and images have uint8 or float32 numbers");
    }
    ImageLayout out;
    out.height_axis = rank == 3 && layout == "chw" ? 1 : 0;
    out.height = static_cast<std::size_t>(spec.shape[out.height_axis]);
    out.width = static_cast<std::size_t>(spec.shape[out.height_axis + 1]);
    if (rank == 3) {
        (layout == "chw" ? out.planes : out.together) = static_cast<std::size_t>(spec.shape[layout == "chw" ? 0 : 2]);
    }
    return out;
}

// Bounds of elements that are mixed with each other.
inline void mix_bounds(tenon::Spec& spec) {
    if (spec.low.size() > 1) {
        spec.low = {std::ranges::min(spec.low)};
    }
    if (spec.high.size() > 1) {
        spec.high = {std::ranges::max(spec.high)};
    }
}
