// SPDX-License-Identifier: Apache-2.0
// The decoder of pictures of the third Dreamer: a dense layer makes a small picture, and transposed convolutions of 4
// by 4 double it, each with an RMS norm over channels and SiLU, but for the last. Pixels are a sigmoid's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layers3.hpp"
#include "tenon/guard.hpp"
#include "tenon/images.hpp"

namespace world {

struct PictureDecoder {
    std::vector<std::int64_t> filters;  // channels before each doubling

    // The pixels of a picture of these sizes, channels first, in one row. `from`: what the dense layer reads.
    [[nodiscard]] Value operator()(const Graph& g, Value from, const std::string& key,
                                   const std::vector<std::int64_t>& picture) const {
        check(key, picture);
        const std::int64_t height = picture[1] >> filters.size(), width = picture[2] >> filters.size();
        const Value small = dense3(g, "decoder.small", from, filters.front() * height * width);
        Value x = by_channels(g, "decoder.small.norm", reshape(small, {filters.front(), height, width}));
        for (std::size_t i = 1; i <= filters.size(); ++i) {
            const std::string name = "decoder.filter" + std::to_string(i - 1);
            const bool last = i == filters.size();
            x = conv_transposed(g, name, x,
                                {.channels = last ? picture[0] : filters[i], .kernel = 4, .stride = 2, .padding = 1},
                                [](std::int64_t inputs) { return fan_in(inputs); });
            x = last ? sigmoid(x) : by_channels(g, name + ".norm", x);
        }
        return tenon::flatten(x);
    }

private:
    void check(const std::string& key, const std::vector<std::int64_t>& picture) const {
        if (picture.size() != 3) {
            throw tenon::InvalidArgument("'filters' decode a picture of channels, height and width, but '" + key +
                                         "' has rows of " + std::to_string(picture.size()) +
                                         (picture.size() == 1 ? " dimension" : " dimensions") +
                                         "; leave 'filters' out, or name the picture in 'decodes'");
        }
        const std::int64_t times = std::int64_t{1} << filters.size();
        if (picture[1] % times != 0 || picture[2] % times != 0) {
            throw tenon::InvalidArgument("'filters' has " + std::to_string(filters.size()) +
                                         " numbers, each of which doubles a picture, but '" + key + "' is " +
                                         std::to_string(picture[1]) + " by " + std::to_string(picture[2]) +
                                         ", no multiple of " + std::to_string(times));
        }
    }

    static Value by_channels(const Graph& g, const std::string& norm, Value x) {
        const std::vector<std::int64_t> sizes = tenon::sizes_of(x);
        const Value last = transpose(reshape(x, {sizes[0], sizes[1] * sizes[2]}));
        return reshape(transpose(activated(g, norm, last)), sizes);
    }
};

}  // namespace world
