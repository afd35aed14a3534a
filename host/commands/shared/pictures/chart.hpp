// SPDX-License-Identifier: Apache-2.0
// Curves over one axis as an SVG picture, readable on a light and on a dark page.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tenon {

struct ChartCurve {
    std::string name;              // in the legend
    std::vector<double> x;         // increasing
    std::vector<double> y;         // NaN: a gap
    std::vector<double> low = {};  // of a band around it, as many as y; empty: none
    std::vector<double> high = {};
    bool steps = false;  // its value holds until the next x
};

struct Chart {
    std::string title;
    std::string x_label;
    std::string y_label;
    std::vector<ChartCurve> curves = {};
    std::optional<std::pair<double, double>> y_range = {};  // otherwise that of the curves and bands
    double width = 720;
    double height = 420;
};

// A legend is drawn if there are several curves. Equal charts give equal text.
std::string to_svg(const Chart& chart);

}  // namespace tenon
