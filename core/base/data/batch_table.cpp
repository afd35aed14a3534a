// SPDX-License-Identifier: Apache-2.0
#include "base/data/batch_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/data/number_text.hpp"
#include "base/data/view_shape.hpp"

namespace tenon {
namespace {

using TableLine = std::array<std::string, 6>;  // key, dtype, row, min, max, NaNs

template <class T>
std::string element_text(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        return number_text(value);
    } else {
        return std::to_string(value);
    }
}

template <class T>
bool is_nan(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::isnan(value);
    } else {
        return false;
    }
}

template <class T>
void add_range(const View& view, TableLine& line) {
    bool any = false;
    T least{};
    T largest{};
    std::int64_t nans = 0;
    each_element<T>(view, [&](T value) {
        if (is_nan(value)) {
            ++nans;
            return;
        }
        least = any ? std::min(least, value) : value;
        largest = any ? std::max(largest, value) : value;
        any = true;
    });
    line[3] = any ? element_text(least) : "-";
    line[4] = any ? element_text(largest) : "-";
    line[5] = nans > 0 ? std::to_string(nans) : "";
}

}  // namespace

std::string to_string(const Batch& batch) {
    std::vector<TableLine> lines = {{"key", "dtype", "row", "min", "max", ""}};
    for (const BatchColumn& column : batch.columns()) {
        TableLine& line = lines.emplace_back();
        line[0] = column.key;
        line[1] = name_of(column.view.dtype);
        line[2] = to_string(tail(column.view.shape, batch.leading().rank));
        with_element(column.view.dtype, [&](auto zero) { add_range<decltype(zero)>(column.view, line); });
    }
    if (std::ranges::any_of(lines, [](const TableLine& line) { return !line[5].empty(); })) {
        lines.front()[5] = "NaNs";
    }
    std::array<std::size_t, 6> widths{};
    for (const TableLine& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    std::string out = "batch " + to_string(batch.leading()) + "\n";
    for (const TableLine& line : lines) {
        std::string row;
        for (std::size_t i = 0; i < line.size(); ++i) {
            row += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
        }
        out += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
}

}  // namespace tenon
