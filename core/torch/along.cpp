// SPDX-License-Identifier: Apache-2.0
#include "torch/along.hpp"

#include <utility>
#include <vector>

#include "torch/align.hpp"

namespace tenon::reference {
namespace {

// The sizes with one of them replaced, counted from the end.
std::vector<std::int64_t> with_size(at::IntArrayRef sizes, std::int64_t axis, std::int64_t size) {
    std::vector<std::int64_t> out = sizes.vec();
    out[static_cast<std::size_t>(static_cast<std::int64_t>(out.size()) + axis)] = size;
    return out;
}

// Broadcasts both inputs to the same sizes, except along the axis.
std::pair<at::Tensor, at::Tensor> lined_up(const Frame& k, const at::Tensor& x, const at::Tensor& index,
                                           std::int64_t axis) {
    const at::Tensor from = fill_gaps(x, gaps(k.in[0].dims, k.out.symbols()));
    const at::Tensor chosen = fill_gaps(index, gaps(k.in[1].dims, k.out.symbols()));
    const std::vector<std::int64_t> others =
        at::infer_size(with_size(from.sizes(), axis, 1), with_size(chosen.sizes(), axis, 1));
    return {from.expand(with_size(others, axis, from.size(axis))),
            chosen.expand(with_size(others, axis, chosen.size(axis)))};
}

}  // namespace

at::Tensor argsort(const at::Tensor& x, std::int64_t axis, std::int64_t descending) {
    return at::argsort(x.detach(), /*stable=*/true, axis, descending != 0);
}

at::Tensor take_along(const Frame& k, const at::Tensor& x, const at::Tensor& index, std::int64_t axis) {
    const auto [from, chosen] = lined_up(k, x, index, axis);
    return from.gather(axis, chosen);
}

at::Tensor put_along(const Frame& k, const at::Tensor& x, const at::Tensor& index, std::int64_t axis,
                     std::int64_t size) {
    const auto [from, chosen] = lined_up(k, x, index, axis);
    return at::zeros(with_size(from.sizes(), axis, size), from.options()).scatter_add(axis, chosen, from);
}

}  // namespace tenon::reference
