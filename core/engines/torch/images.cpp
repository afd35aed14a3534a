// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/kernel.hpp"

#include <ATen/ops/col2im.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/max_pool2d.h>

#include <limits>
#include <tuple>
#include <vector>

#include "engines/torch/align.hpp"

namespace tenon::reference {
namespace {

// [.., channels, height, width] with everything before the image flattened to one dimension.
at::Tensor flat(const at::Tensor& x) {
    return x.reshape({-1, x.size(-3), x.size(-2), x.size(-1)});
}

// Restores the leading dimensions of `rows`, a tensor of images, for the images in `flat_out`.
at::Tensor under(const at::Tensor& rows, const at::Tensor& flat_out) {
    std::vector<std::int64_t> shape(rows.sizes().begin(), rows.sizes().end() - 3);
    shape.insert(shape.end(), flat_out.sizes().begin() + 1, flat_out.sizes().end());
    return flat_out.reshape(shape);
}

// Treats the members as groups of channels: one call of `convolve` for all of them.
template <class Convolve>
at::Tensor of_members(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                      Convolve convolve) {
    const graph::Dim symbol = k.in[1].dims[0];
    const std::int64_t members = weight.size(0);
    std::vector<std::int64_t> all(x.sizes().begin(), x.sizes().end());
    all.insert(all.begin(), members);
    const at::Tensor own = k.in[0].has(symbol) ? x.movedim(position_of(k.in[0], symbol), 0) : x.expand(all);
    const at::Tensor rows = own.reshape({members, -1, x.size(-3), x.size(-2), x.size(-1)});
    const at::Tensor grouped = rows.transpose(0, 1).flatten(1, 2);
    const at::Tensor filters = weight.flatten(0, 1);
    const at::Tensor shifts = bias.defined() ? bias.flatten() : bias;
    const at::Tensor out = convolve(grouped, filters, shifts, members);
    const at::Tensor apart = out.unflatten(1, {members, -1}).transpose(0, 1);
    return under(own, apart.flatten(0, 1)).movedim(0, position_of(k.out, symbol));
}

// libtorch's own kernel for GPUs adds gradients in a different order in each run, so this is computed otherwise.
at::Tensor max_of_windows(const at::Tensor& images, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
    const at::Tensor padded =
        at::constant_pad_nd(images, {padding, padding, padding, padding}, -std::numeric_limits<double>::infinity());
    return std::get<0>(padded.unfold(2, kernel, stride).unfold(3, kernel, stride).flatten(-2).max(-1));
}

template <class Convolve>
at::Tensor filtered(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    Convolve convolve) {
    return weight.dim() == 5 ? of_members(k, x, weight, bias, convolve)
                             : under(x, convolve(flat(x), weight, bias, std::int64_t{1}));
}

}  // namespace

at::Tensor conv2d(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  std::int64_t stride, std::int64_t padding) {
    return filtered(k, x, weight, bias, [&](const auto& image, const auto& filter, const auto& shift, auto groups) {
        return at::conv2d(image, filter, shift, {stride, stride}, {padding, padding}, {1, 1}, groups);
    });
}

at::Tensor conv_transpose2d(const Frame& k, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                            std::int64_t stride, std::int64_t padding) {
    return filtered(k, x, weight, bias, [&](const auto& image, const auto& filter, const auto& shift, auto groups) {
        return at::conv_transpose2d(image, filter, shift, {stride, stride}, {padding, padding}, {0, 0}, groups);
    });
}

at::Tensor max_pool2d(const at::Tensor& x, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
    if (!x.is_cpu()) {
        return under(x, max_of_windows(flat(x), kernel, stride, padding));
    }
    return under(x, at::max_pool2d(flat(x), {kernel, kernel}, {stride, stride}, {padding, padding}));
}

at::Tensor patches(const at::Tensor& x, std::int64_t height, std::int64_t width, std::int64_t stride,
                   std::int64_t padding, double fill) {
    const at::Tensor padded = at::constant_pad_nd(flat(x), {0, 0, padding, padding, padding, padding},
                                                  fill);  // [images, height, width, channels]
    const at::Tensor windows = padded.unfold(1, height, stride).unfold(2, width, stride).permute({0, 1, 2, 4, 5, 3});
    std::vector<std::int64_t> shape(x.sizes().begin(), x.sizes().end() - 3);
    shape.push_back(windows.size(1) * windows.size(2));
    shape.push_back(height * width * x.size(-1));
    return windows.reshape(shape);
}

at::Tensor unpatch(const at::Tensor& x, const std::vector<std::int64_t>& image, std::int64_t height, std::int64_t width,
                   std::int64_t stride, std::int64_t padding) {
    const at::Tensor columns =
        x.reshape({-1, x.size(-2), height * width, x.size(-1) / (height * width)}).permute({0, 3, 2, 1}).flatten(1, 2);
    const at::Tensor images = at::col2im(columns, image, {height, width}, {1, 1}, {padding, padding}, {stride, stride});
    std::vector<std::int64_t> shape(x.sizes().begin(), x.sizes().end() - 2);
    shape.insert(shape.end(), {image[0], image[1], images.size(1)});
    return images.permute({0, 2, 3, 1}).reshape(shape);
}

}  // namespace tenon::reference
