// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/print_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace tenon {
namespace {

constexpr std::size_t kShown = 8;  // elements

std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", value);
    return text.data();
}

// A NaN or infinity is reported for the whole value.
std::string summary(std::span<const double> elements) {
    double sum = 0;
    double least = elements.front();
    double most = elements.front();
    for (const double x : elements) {
        sum += x;
        least = std::isnan(x) || x < least ? x : least;
        most = std::isnan(x) || x > most ? x : most;
    }
    return ", mean " + number(sum / static_cast<double>(elements.size())) + ", min " + number(least) + ", max " +
           number(most);
}

}  // namespace

std::string print_line(const graph::Graph& graph, const graph::Named& print, std::span<const double> elements) {
    std::string line = print.name + ": " + graph.symbols.text(graph.type(print.value));
    if (elements.empty()) {
        return line + ", empty";
    }
    line += elements.size() > 1 ? summary(elements) : "";
    const std::size_t shown = std::min(elements.size(), kShown);
    for (std::size_t i = 0; i < shown; ++i) {
        line += (i == 0 ? " = " : ", ") + number(elements[i]);
    }
    return line + (shown < elements.size() ? ", ..." : "");
}

}  // namespace tenon
