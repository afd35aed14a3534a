// SPDX-License-Identifier: Apache-2.0
// Pictures of worlds that consist of square cells.
#pragma once

#include <cstdint>

#include "tenon/picture.hpp"

// As many pixels per cell as fit into 240, at least 4.
inline tenon::PictureSize size_of_cells(std::int64_t rows, std::int64_t columns) {
    const std::int64_t most = rows > columns ? rows : columns, cell = most < 60 ? 240 / most : 4;
    return {.height = static_cast<std::uint32_t>(rows * cell), .width = static_cast<std::uint32_t>(columns * cell)};
}

// The visible part is that of the cells, with row 0 at the top; then draw_cell and draw_token draw on them.
inline void show_cells(std::int64_t rows, std::int64_t columns, tenon::Picture& out) {
    out.show({0, static_cast<double>(-rows)}, {static_cast<double>(columns), 0});
}

inline void draw_cell(std::int64_t row, std::int64_t column, tenon::Colour colour, tenon::Picture& out) {
    constexpr double kGap = 0.03;
    const auto left = static_cast<double>(column), bottom = static_cast<double>(-row - 1);
    out.box({left + kGap, bottom + kGap}, {left + 1 - kGap, bottom + 1 - kGap}, colour);
}

inline void draw_token(std::int64_t row, std::int64_t column, tenon::Colour colour, tenon::Picture& out) {
    out.disc({static_cast<double>(column) + 0.5, static_cast<double>(-row) - 0.5}, 0.3, colour);
}
