// SPDX-License-Identifier: Apache-2.0
// Layers on images [channels, height, width], with PyTorch's convolutions, and two common trunks: those of Mnih et al.
// and of Espeholt et al.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "tenon/nets.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Flattens all sizes into one.
inline Value flatten(Value x, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    std::int64_t elements = 1;
    for (const std::int64_t size : sizes_of(x)) {
        elements *= size;
    }
    return reshape(x, {elements});
}

// The first size of a value, or 1 if it has none.
inline std::int64_t channels_of(Value image) {
    const std::vector<std::int64_t> sizes = sizes_of(image);
    return sizes.empty() ? 1 : sizes.front();
}

// Whether three sizes look like height, width and channels: at most four channels last, after two similar sizes.
inline bool looks_channels_last(std::span<const std::int64_t> sizes) {
    const std::int64_t less = std::min(sizes[0], sizes[1]);
    return sizes[2] <= 4 && less > sizes[2] && std::max(sizes[0], sizes[1]) <= 2 * less;
}

// Transposes [height, width, channels] to [channels, height, width].
inline Value channels_first(Value x, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::vector<std::int64_t> sizes = sizes_of(x);
    if (sizes.size() != 3) {
        throw InvalidArgument("an image must have three sizes, but this has " + std::to_string(sizes.size()));
    }
    return reshape(transpose(reshape(x, {sizes[0] * sizes[1], sizes[2]})), {sizes[2], sizes[0], sizes[1]});
}

struct Filter {
    std::int64_t channels;  // output channels
    std::int64_t kernel;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
};

// The initial values of a layer's parameters, by its fan-in.
using LayerInit = DenseInit (*)(std::int64_t inputs);

// x [.., channels, height, width] -> [.., filter.channels, .., ..], with parameters NAME.weight and NAME.bias.
inline Value conv(const Graph& g, const std::string& name, Value x, const Filter& filter, LayerInit init,
                  std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::int64_t channels = channels_of(x);
    const DenseInit begin = init(channels * filter.kernel * filter.kernel);
    const Value weight = g.parameter((name + ".weight").c_str(),
                                     {filter.channels, channels, filter.kernel, filter.kernel}, begin.weight);
    const Value bias = g.parameter((name + ".bias").c_str(), {filter.channels}, begin.bias);
    return conv2d(x, weight, bias, filter.stride, filter.padding);
}

// The transposed convolution, which makes images larger: x [.., channels, height, width] -> [.., filter.channels,
// (height - 1) stride - 2 padding + kernel, ..]. By PyTorch's convention its fan-in counts output channels.
inline Value conv_transposed(const Graph& g, const std::string& name, Value x, const Filter& filter, LayerInit init,
                             std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const DenseInit begin = init(filter.channels * filter.kernel * filter.kernel);
    const Value weight = g.parameter((name + ".weight").c_str(),
                                     {channels_of(x), filter.channels, filter.kernel, filter.kernel}, begin.weight);
    const Value bias = g.parameter((name + ".bias").c_str(), {filter.channels}, begin.bias);
    return conv_transpose2d(x, weight, bias, filter.stride, filter.padding);
}

// Residual block (He et al. 2016) without normalisation: two convolutions whose result is added to x.
inline Value residual(const Graph& g, const std::string& name, Value x, LayerInit init,
                      std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const Filter filter{.channels = channels_of(x), .kernel = 3, .padding = 1};
    const Value first = conv(g, name + ".conv0", relu(x), filter, init);
    return x + conv(g, name + ".conv1", relu(first), filter, init);
}

// A feature vector of an image: the flattened image through one dense layer.
inline Value image_features(const Graph& g, const std::string& name, Value x, std::int64_t size, LayerInit init,
                            std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const Value row = flatten(x);
    return relu(dense(g, name, row, size, init(last_size(row))));
}

// A sequence of convolutions, each followed by a ReLU.
inline Value convolutions(const Graph& g, Value x, std::span<const Filter> filters, LayerInit init,
                          const std::string& activation = "relu",
                          std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    for (std::size_t i = 0; i < filters.size(); ++i) {
        x = activate(activation, conv(g, std::to_string(i), x, filters[i], init));
    }
    return x;
}

// Mnih et al. 2015: images of at least 36 by 36, usually 84 by 84.
inline constexpr Filter kNature[] = {{.channels = 32, .kernel = 8, .stride = 4},
                                     {.channels = 64, .kernel = 4, .stride = 2},
                                     {.channels = 64, .kernel = 3}};

// Espeholt et al. 2018: each stage has a convolution, a max pooling that halves the image, and two residual blocks.
// Images may have any size.
inline Value impala(const Graph& g, Value x, std::span<const std::int64_t> channels, LayerInit init,
                    std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    for (std::size_t i = 0; i < channels.size(); ++i) {
        const std::string stage = std::to_string(i);
        x = conv(g, stage + ".conv", x, {.channels = channels[i], .kernel = 3, .padding = 1}, init);
        x = max_pool2d(x, 3, 2, 1);
        x = residual(g, stage + ".res0", x, init);
        x = residual(g, stage + ".res1", x, init);
    }
    return relu(x);
}

}  // namespace TENON_SDK
}  // namespace tenon
