// SPDX-License-Identifier: Apache-2.0
// The cells of a gridworld, read from texts: neighbours and initial cells.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tenon/guard.hpp"

class GridMap {
public:
    GridMap() = default;

    // Throws if a map is not a rectangle of known letters, or has a start from which no goal can be reached.
    explicit GridMap(const std::vector<std::string>& rows) {
        width_ = rows.empty() ? 0 : static_cast<std::int64_t>(rows[0].size());
        for (const std::string& row : rows) {
            if (static_cast<std::int64_t>(row.size()) != width_) {
                throw tenon::InvalidArgument("the rows of map must have the same length: '" + row + "'");
            }
            cells_ += row;
        }
        if (const std::size_t odd = cells_.find_first_not_of("SGX#."); odd != std::string::npos) {
            throw tenon::InvalidArgument("map has the letter '" + cells_.substr(odd, 1) +
                                         "'; known letters are S G X # and .");
        }
        const char start = cells_.find('S') == std::string::npos ? '.' : 'S';
        for (std::int64_t at = 0; at < size(); ++at) {
            if (cell(at) == start) {
                starts_.push_back(at);
            }
        }
        if (starts_.empty()) {
            throw tenon::InvalidArgument("map has no place to start from: no S and no floor");
        }
        for (const std::int64_t at : starts_) {
            if (distance_to_goal(at) < 0) {
                throw tenon::InvalidArgument("map has no way from row " + std::to_string(at / width_ + 1) +
                                             ", column " + std::to_string(at % width_ + 1) + " to a goal");
            }
        }
    }

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(cells_.size()); }
    [[nodiscard]] std::int64_t width() const { return width_; }
    [[nodiscard]] char cell(std::int64_t at) const { return cells_[static_cast<std::size_t>(at)]; }
    [[nodiscard]] const std::vector<std::int64_t>& starts() const { return starts_; }

    // The cell after a step up, right, down or left; the same one if a wall or the edge is in the way.
    [[nodiscard]] std::int64_t beyond(std::int64_t at, std::int64_t action) const {
        constexpr std::array<std::int64_t, 4> kRight = {0, 1, 0, -1};
        constexpr std::array<std::int64_t, 4> kDown = {-1, 0, 1, 0};
        const std::int64_t column = at % width_ + kRight[static_cast<std::size_t>(action)];
        const std::int64_t row = at / width_ + kDown[static_cast<std::size_t>(action)];
        const bool inside = column >= 0 && column < width_ && row >= 0 && row * width_ < size();
        return inside && cell(row * width_ + column) != '#' ? row * width_ + column : at;
    }

    // The length of the shortest way that avoids pits; -1 if there is none.
    [[nodiscard]] std::int64_t distance_to_goal(std::int64_t from) const {
        std::vector<std::int64_t> steps(cells_.size(), -1);
        std::vector<std::int64_t> reached = {from};
        steps[static_cast<std::size_t>(from)] = 0;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const std::int64_t at = reached[i];
            if (cell(at) == 'G') {
                return steps[static_cast<std::size_t>(at)];
            }
            for (std::int64_t action = 0; action < 4 && cell(at) != 'X'; ++action) {
                const std::int64_t next = beyond(at, action);
                if (steps[static_cast<std::size_t>(next)] < 0) {
                    steps[static_cast<std::size_t>(next)] = steps[static_cast<std::size_t>(at)] + 1;
                    reached.push_back(next);
                }
            }
        }
        return -1;
    }

private:
    std::string cells_;
    std::int64_t width_ = 0;
    std::vector<std::int64_t> starts_;
};
