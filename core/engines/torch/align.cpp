// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/align.hpp"

#include <algorithm>

namespace tenon::reference {

std::vector<std::int64_t> gaps(std::span<const graph::Dim> dims, std::span<const graph::Dim> symbols) {
    std::vector<std::int64_t> out;
    std::int64_t position = 0;
    const auto own = std::ranges::count_if(dims, [](graph::Dim dim) { return dim < 0; });
    std::int64_t seen = 0;
    for (const graph::Dim symbol : symbols) {
        const bool has = std::ranges::find(dims, symbol) != dims.end();
        if (own == 0 || (seen == 0 && !has)) {
            continue;
        }
        if (has) {
            ++seen;
        } else {
            out.push_back(position);
        }
        ++position;
    }
    return out;
}

at::Tensor fill_gaps(const at::Tensor& value, std::span<const std::int64_t> positions) {
    at::Tensor out = value;
    for (const std::int64_t position : positions) {
        out = out.unsqueeze(position);
    }
    return out;
}

at::Tensor among(const graph::Type& type, const at::Tensor& value, std::span<const graph::Dim> symbols) {
    at::Tensor out = value;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        out = type.has(symbols[i]) ? out : out.unsqueeze(static_cast<std::int64_t>(i));
    }
    return out;
}

std::int64_t position_of(const graph::Type& type, graph::Dim symbol) {
    return std::ranges::find(type.dims, symbol) - type.dims.begin();
}

}  // namespace tenon::reference
