// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/image_adjoints.hpp"

#include <limits>

namespace tenon::graph {
namespace {

using Extents = std::vector<std::int64_t>;

// [channels, height, width] as [places, channels], and back.
V by_place(V image) {
    const Extents of = sizes(image);
    return transpose(reshape(image, {of[0], of[1] * of[2]}));
}
V by_channel(V places, const Extents& image) {
    return reshape(transpose(places), image);
}

// [out, in, height, width] as [out, height * width * in], in the order of patches, and back.
V by_patch(V filter) {
    const Extents of = sizes(filter);
    return reshape(transpose(reshape(filter, {of[0], of[1], of[2] * of[3]})), {of[0], of[2] * of[3] * of[1]});
}
V by_input(V rows, const Extents& filter) {
    return reshape(transpose(reshape(rows, {filter[0], filter[2] * filter[3], filter[1]})), filter);
}

V patches_of(V image, std::int64_t height, std::int64_t width, std::int64_t stride, std::int64_t padding, double fill) {
    const Extents of = sizes(image);
    return patches(reshape(by_place(image), {of[1], of[2], of[0]}), height, width, stride, padding, fill);
}

// Adds patches up to an image [channels, height, width].
V summed(V rows, const Extents& image, std::int64_t height, std::int64_t width, std::int64_t stride,
         std::int64_t padding) {
    const V out = unpatch(rows, {image[1], image[2]}, height, width, stride, padding);
    return by_channel(reshape(out, {image[1] * image[2], image[0]}), image);
}

}  // namespace

V of_image(const Differentiated& k, V g) {
    const Extents filter = sizes(k.in(1));
    const V rows = linear(by_place(g), transpose(by_patch(k.in(1))));
    return summed(rows, sizes(k.in(0)), filter[2], filter[3], int_attribute(k.node, "stride"),
                  int_attribute(k.node, "padding"));
}

V of_filter(V filter, V image, V g, std::int64_t stride, std::int64_t padding) {
    const Extents of = sizes(filter);
    const V rows = patches_of(image, of[2], of[3], stride, padding, 0);
    return by_input(linear_weight(by_place(g), rows, by_patch(filter)), of);
}

V of_largest(const Differentiated& k, V g) {
    const std::int64_t kernel = int_attribute(k.node, "kernel");
    const std::int64_t stride = int_attribute(k.node, "stride");
    const std::int64_t padding = int_attribute(k.node, "padding");
    const Extents image = sizes(k.in(0));
    const Extents out = sizes(k.y);
    const std::int64_t places = out[1] * out[2];
    const V rows = patches_of(k.in(0), kernel, kernel, stride, padding, -std::numeric_limits<double>::infinity());
    const V windows = transpose(reshape(rows, {places, kernel * kernel, image[0]}));
    const V chosen = unsqueeze(by_place(g), -1) * one_hot(argmax(windows, -1), kernel * kernel);
    return summed(reshape(transpose(chosen), {places, kernel * kernel * image[0]}), image, kernel, kernel, stride,
                  padding);
}

}  // namespace tenon::graph
