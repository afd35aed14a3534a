// SPDX-License-Identifier: Apache-2.0
// Trunks: features that several networks read instead of an image.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "pixels.hpp"
#include "tenon/graph_component.hpp"

namespace cnn {

inline std::string by(std::int64_t height, std::int64_t width) {
    return std::to_string(height) + " by " + std::to_string(width);
}

// Refuses an image that becomes empty before the last convolution, and a stride that skips nearly all of it. `remedy`:
// what the user can do about the former.
inline void check_fits(const Pixels& pixels, tenon::Value image, std::span<const tenon::Filter> filters,
                       const std::string& name, const std::string& remedy) {
    const std::vector<std::int64_t> sizes = tenon::sizes_of(image);
    std::int64_t height = sizes[1];
    std::int64_t width = sizes[2];
    for (std::size_t i = 0; i < filters.size(); ++i) {
        const auto [channels, kernel, stride, padding] = filters[i];
        if (kernel > height + 2 * padding || kernel > width + 2 * padding) {
            throw tenon::InvalidArgument("images of " + pixels.size_of(image) + " are too small for " + name +
                                         ": its filter " + std::to_string(i) + " is " + by(kernel, kernel) +
                                         (i == 0 ? "" : ", but the filters before it leave " + by(height, width)) +
                                         "; " + remedy);
        }
        const auto skips = [&, kernel = kernel, stride = stride, padding = padding](std::int64_t size) {
            return stride >= size + 2 * padding && kernel - padding < size;
        };
        if (skips(height) || skips(width)) {
            throw tenon::InvalidArgument("filter " + std::to_string(i) + " of " + name + " reads only one corner of " +
                                         by(height, width) + ": its stride of " + std::to_string(stride) +
                                         " in 'strides' is larger than the image");
        }
        height = (height + 2 * padding - kernel) / stride + 1;
        width = (width + 2 * padding - kernel) / stride + 1;
    }
}

inline constexpr const char* kReadsAny = "cnn/impala reads any size";

inline tenon::Value through(const Pixels& pixels, const tenon::Graph& g, std::span<const tenon::Filter> filters,
                            const std::string& activation, const std::string& name, const std::string& remedy) {
    const tenon::Value image = pixels.image(g);
    if (image.id == 0) {
        return {};
    }
    check_fits(pixels, image, filters, name, remedy);
    const tenon::Value x = tenon::convolutions(g, image, filters, pixels.layer_init(), activation);
    return tenon::image_features(g, std::to_string(filters.size()), x, pixels.size, pixels.layer_init());
}

struct Nature : Pixels {
    [[nodiscard]] tenon::Value features(const tenon::Graph& g) const {
        return through(*this, g, tenon::kNature, "relu", "nature", kReadsAny);
    }

    static constexpr auto options = std::tuple_cat(
        Pixels::options, std::tuple{tenon::option<&Nature::size>("size", 512, "[1,1000000]", "size of the output")});
    static constexpr auto functions = std::tuple{tenon::function<&Nature::features>("features", "", "features")};
};

struct Impala : Pixels {
    std::vector<std::int64_t> channels;

    [[nodiscard]] tenon::Value features(const tenon::Graph& g) const {
        if (channels.empty()) {
            throw tenon::InvalidArgument("impala has no stages: 'channels' is empty");
        }
        const tenon::Value image = this->image(g);
        if (image.id == 0) {
            return {};
        }
        const tenon::Value x = tenon::impala(g, image, channels, layer_init());
        return tenon::image_features(g, std::to_string(channels.size()), x, size, layer_init());
    }

    static constexpr auto options = std::tuple_cat(
        Pixels::options, std::tuple{tenon::option<&Impala::channels>("channels", {16, 32, 32}, "[1,100000]",
                                                                     "channels of each stage, which halves the image"),
                                    tenon::option<&Impala::size>("size", 256, "[1,1000000]", "size of the output")});
    static constexpr auto functions = std::tuple{tenon::function<&Impala::features>("features", "", "features")};
};

struct ConvNet : Pixels {
    std::vector<std::int64_t> channels;
    std::vector<std::int64_t> kernels;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> paddings;
    std::string activation;

    [[nodiscard]] tenon::Value features(const tenon::Graph& g) const {
        if (channels.empty()) {
            throw tenon::InvalidArgument("convnet has no filters: 'channels' is empty");
        }
        std::vector<tenon::Filter> filters;
        for (std::size_t i = 0; i < channels.size(); ++i) {
            filters.push_back({.channels = channels[i],
                               .kernel = of_layer("kernels", kernels, i),
                               .stride = of_layer("strides", strides, i),
                               .padding = of_layer("paddings", paddings, i)});
        }
        return through(*this, g, filters, activation, "convnet",
                       std::string("change 'kernels', 'strides' or 'paddings', or use another trunk: ") + kReadsAny);
    }

    // One number for all convolutions, or one for each.
    [[nodiscard]] std::int64_t of_layer(const std::string& option, const std::vector<std::int64_t>& numbers,
                                        std::size_t layer) const {
        if (numbers.size() != 1 && numbers.size() != channels.size()) {
            throw tenon::InvalidArgument("convnet has " + std::to_string(channels.size()) +
                                         " filters (its 'channels'), but '" + option + "' has " +
                                         std::to_string(numbers.size()) + " numbers; give one for all or one for each");
        }
        return numbers.size() == 1 ? numbers.front() : numbers[layer];
    }

    // TorchRL's ConvNet with ReLU.
    static constexpr auto options = std::tuple_cat(
        Pixels::options,
        std::tuple{tenon::option<&ConvNet::channels>("channels", {32, 32, 32}, "[1,100000]", "channels of each filter"),
                   tenon::option<&ConvNet::kernels>("kernels", {3}, "[1,1000]", "sizes of the filters"),
                   tenon::option<&ConvNet::strides>("strides", {1}, "[1,1000]", "strides of the filters"),
                   tenon::option<&ConvNet::paddings>("paddings", {0}, "[0,1000]", "zero padding of the filters"),
                   tenon::option<&ConvNet::activation>("activation", "relu", tenon::kActivations,
                                                       "activation after each filter"),
                   tenon::option<&ConvNet::size>("size", 256, "[1,1000000]", "size of the output")});
    static constexpr auto functions = std::tuple{tenon::function<&ConvNet::features>("features", "", "features")};
};

}  // namespace cnn
