// SPDX-License-Identifier: Apache-2.0
#include "commands/export/c_panels.hpp"

#include <algorithm>
#include <cstring>

namespace tenon {
namespace {

std::int64_t rounded(std::int64_t n) {
    return (n + kPanelColumns - 1) / kPanelColumns * kPanelColumns;
}

std::vector<std::int64_t> order_of_rows(std::int64_t k, std::int64_t whole, std::int64_t lanes) {
    std::vector<std::int64_t> out;
    for (std::int64_t lane = 0; lane < std::min(lanes, whole); ++lane) {
        for (std::int64_t row = lane; row < whole; row += lanes) {
            out.push_back(row);
        }
    }
    for (std::int64_t row = whole; row < k; ++row) {
        out.push_back(row);
    }
    return out;
}

}  // namespace

std::int64_t panel_elements(std::int64_t n, std::int64_t k) {
    return rounded(n) * (k + 1);
}

std::vector<std::byte> panels_of(const compiled::Op& product, const std::byte* side, const std::byte* bias,
                                 std::size_t element_bytes, std::int64_t whole, std::int64_t lanes) {
    const compiled::View& b = product.in[1];
    const compiled::View* bias_view = compiled::bias_of(product);
    const std::int64_t batches = product.in[0].shape[0];
    const std::int64_t k = b.shape[1];
    const std::int64_t n = b.shape[2];
    const std::vector<std::int64_t> rows = order_of_rows(k, whole, lanes);
    std::vector<std::byte> out(static_cast<std::size_t>(batches * panel_elements(n, k)) * element_bytes);
    std::byte* to = out.data();
    const auto put = [&](const std::byte* memory, std::int64_t element, std::int64_t column) {
        if (memory != nullptr && column < n) {
            std::memcpy(to, memory + static_cast<std::size_t>(element) * element_bytes, element_bytes);
        }
        to += element_bytes;
    };
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        for (std::int64_t first = 0; first < n;) {
            const std::int64_t columns = n - first >= kWidePanelColumns ? kWidePanelColumns : kPanelColumns;
            for (std::int64_t j = first; j < first + columns; ++j) {
                put(bias,
                    bias == nullptr ? 0 : bias_view->offset + batch * bias_view->strides[0] + j * bias_view->strides[1],
                    j);
            }
            for (const std::int64_t row : rows) {
                for (std::int64_t j = first; j < first + columns; ++j) {
                    put(side, b.offset + batch * b.strides[0] + row * b.strides[1] + j * b.strides[2], j);
                }
            }
            first += columns;
        }
    }
    return out;
}

}  // namespace tenon
