// SPDX-License-Identifier: Apache-2.0
// The input of every network of this plugin: columns that are images, and their options.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/images.hpp"
#include "tenon/options.hpp"

namespace cnn {

inline tenon::DenseInit orthogonal_init(std::int64_t /*inputs*/) {
    return tenon::orthogonal_init(std::sqrt(2.0));
}

struct Pixels {
    std::vector<std::string> in;
    std::string layout;
    bool scaled = true;
    std::int64_t size = 0;
    std::string init;

    [[nodiscard]] tenon::LayerInit layer_init() const {
        return init == "orthogonal" ? &orthogonal_init : &tenon::default_init;
    }

    // The columns as one image [channels, height, width]; poisoned if a column is missing.
    [[nodiscard]] tenon::Value image(const tenon::Graph& g) const {
        std::vector<tenon::Value> images;
        for (const std::string& key : in) {
            const tenon::Value image = column(g, key);
            if (image.id == 0) {
                return {};
            }
            images.push_back(image);
        }
        return images.size() == 1 ? images.front() : side_by_side(images);
    }

    // "10 by 10", with a hint if the channels seem to be another dimension.
    [[nodiscard]] std::string size_of(tenon::Value image) const {
        const std::vector<std::int64_t> sizes = tenon::sizes_of(image);
        const bool is_turned = sizes[1] < sizes[0] || sizes[2] < sizes[0];
        return std::to_string(sizes[1]) + " by " + std::to_string(sizes[2]) +
               (is_turned ? " with " + std::to_string(sizes[0]) + " channels (or should 'layout' be \"" +
                                (layout == "chw" ? "hwc" : "chw") + "\"?)"
                          : "");
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Pixels::in>("in", {"observation"}, "", "the columns it reads; their channels are concatenated"),
        tenon::option<&Pixels::layout>("layout", "chw", "chw|hwc", "whether channels are first or last in a column"),
        tenon::option<&Pixels::scaled>("scale_pixels", true, "", "divides uint8 columns by 255"),
        tenon::option<&Pixels::init>(
            "weight_init", "default", "default|orthogonal",
            "initial weights: as PyTorch's layers, or orthogonal with a gain of sqrt(2) and zero biases")};

private:
    [[nodiscard]] tenon::Value column(const tenon::Graph& g, const std::string& key) const {
        tenon::Value x = g.batch()[key.c_str()];
        if (x.id == 0) {
            return x;
        }
        const std::vector<std::int64_t> sizes = tenon::sizes_of(x);
        const std::size_t rank = sizes.size();
        if (rank != 3) {
            throw tenon::InvalidArgument("column '" + key + "' has rows of " + std::to_string(rank) +
                                         (rank == 1 ? " dimension" : " dimensions") +
                                         ", and an image has 3: channels, height and width" +
                                         (rank == 1 ? "; networks of mlp read rows of one" : ""));
        }
        if (layout == "chw" && tenon::looks_channels_last(sizes)) {
            g.warn("column '" + key + "' is " + std::to_string(sizes[0]) + " by " + std::to_string(sizes[1]) + " by " +
                   std::to_string(sizes[2]) + ", as if its channels were last, but it is read as " +
                   std::to_string(sizes[0]) + " channels; layout = \"hwc\" reads the last size as channels");
        }
        const tn_spec* spec = g.spec(key.c_str(), true);
        if (scaled && spec != nullptr && spec->dtype == TN_U8) {
            x = x / 255.0;
        }
        return layout == "hwc" ? tenon::channels_first(x) : x;
    }

    [[nodiscard]] tenon::Value side_by_side(const std::vector<tenon::Value>& images) const {
        const std::vector<std::int64_t> first = tenon::sizes_of(images.front());
        std::int64_t channels = 0;
        std::vector<tenon::In> parts;
        for (std::size_t i = 0; i < images.size(); ++i) {
            const std::vector<std::int64_t> sizes = tenon::sizes_of(images[i]);
            if (sizes[1] != first[1] || sizes[2] != first[2]) {
                throw tenon::InvalidArgument("concatenated columns must be images of the same size, but '" +
                                             in.front() + "' is " + size_of(images.front()) + " and '" + in[i] + "' " +
                                             size_of(images[i]));
            }
            channels += sizes[0];
            parts.emplace_back(tenon::flatten(images[i]));
        }
        return reshape(concat(parts), {channels, first[1], first[2]});
    }
};

}  // namespace cnn
