// SPDX-License-Identifier: Apache-2.0
#include "shared/pictures/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "shared/pictures/svg.hpp"
#include "shared/pictures/ticks.hpp"

namespace tenon {
namespace {

constexpr double kLeft = 66;
constexpr double kRight = 20;
constexpr double kTitle = 40;      // height with the title
constexpr double kLegendRow = 20;  // height of a row of the legend
constexpr double kBottom = 52;
constexpr double kSwatch = 30;   // width of a legend's line with the gap after it
constexpr double kLetter = 7.2;  // mean width of a letter, rather too large: no font is at hand
constexpr double kTickGap = 36;  // least distance of horizontal grid lines

constexpr std::string_view kStyle =
    "text { font: 12px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #3c4148; }\n"
    ".title { font-size: 15px; font-weight: 600; fill: #1f2328; }\n"
    ".label { font-size: 13px; }\n"
    ".page { fill: #ffffff; }\n"
    ".grid { stroke: #e3e6ea; stroke-width: 1; }\n"
    ".axis { stroke: #8b929a; stroke-width: 1; }\n"
    ".curve { fill: none; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round; }\n"
    ".band { stroke: none; fill-opacity: 0.17; }\n";
constexpr std::string_view kDarkStyle =
    "text { fill: #b4bcc6; }\n"
    ".title { fill: #e6edf3; }\n"
    ".page { fill: #0d1117; }\n"
    ".grid { stroke: #262c34; }\n"
    ".axis { stroke: #6b7480; }\n"
    ".band { fill-opacity: 0.22; }\n";

struct CurveColour {
    const char* light;  // on a light page
    const char* dark;
    const char* dashes;  // "" or a stroke-dasharray: the colours repeat with other dashes
};

// Colours for curves that people tell apart, also with impaired colour vision (after Okabe and Ito).
CurveColour curve_colour(std::size_t index) {
    constexpr std::array<std::pair<const char*, const char*>, 7> kColours = {{{"#0072b2", "#56b4e9"},
                                                                              {"#d55e00", "#ff9d4d"},
                                                                              {"#00805c", "#2fc796"},
                                                                              {"#b0508c", "#e39ac6"},
                                                                              {"#a37800", "#f0c845"},
                                                                              {"#5b4bb8", "#a99bf5"},
                                                                              {"#555555", "#c0c0c0"}}};
    constexpr std::array<const char*, 3> kDashes = {"", "7 4", "2 3"};
    const auto& [light, dark] = kColours[index % kColours.size()];
    return {.light = light, .dark = dark, .dashes = kDashes[index / kColours.size() % kDashes.size()]};
}

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    // The range, widened if it is too narrow to be divided by.
    [[nodiscard]] Range usable() const {
        if (!(low <= high)) {
            return {.low = 0, .high = 1};
        }
        const double least = std::max(std::abs(low), 1.0) * 1e-9;
        return high - low > least ? *this
                                  : Range{.low = low - std::max(std::abs(low) / 10, 0.5),
                                          .high = high + std::max(std::abs(high) / 10, 0.5)};
    }
};

// Maps numbers to places on the page.
struct Frame {
    Range x, y;
    double left, right, top, bottom;

    [[nodiscard]] SvgPoint at(double of_x, double of_y) const {
        const double clamped = std::clamp(of_y, y.low, y.high);
        return {.x = left + (right - left) * (of_x - x.low) / (x.high - x.low),
                .y = bottom - (bottom - top) * (clamped - y.low) / (y.high - y.low)};
    }
};

std::string numbered(std::string_view name, std::size_t index) {
    return std::string(name) + " " + (name == "curve" ? "c" : name == "band" ? "b" : "d") + std::to_string(index);
}

std::string style_of(std::size_t curves) {
    std::string light(kStyle);
    std::string dark(kDarkStyle);
    for (std::size_t i = 0; i < curves; ++i) {
        const CurveColour colour = curve_colour(i);
        const std::string number = std::to_string(i);
        const auto rules = [&](const std::string& of) {
            return ".c" + number + " { stroke: " + of + "; } .b" + number + ", .d" + number + " { fill: " + of +
                   "; }\n";
        };
        const std::string dashes(colour.dashes);
        light +=
            rules(colour.light) + (dashes.empty() ? "" : ".c" + number + " { stroke-dasharray: " + dashes + "; }\n");
        dark += rules(colour.dark);
    }
    return light + "@media (prefers-color-scheme: dark) {\n" + dark + "}\n";
}

Range x_range(const Chart& chart) {
    Range out;
    for (const ChartCurve& curve : chart.curves) {
        std::ranges::for_each(curve.x, [&](double value) { out.add(value); });
    }
    const bool near_zero = out.low > 0 && out.low < (out.high - out.low) / 2;  // then the axis begins at zero
    return Range{.low = near_zero ? 0 : out.low, .high = out.high}.usable();
}

Range y_range(const Chart& chart) {
    if (chart.y_range) {
        return Range{.low = chart.y_range->first, .high = chart.y_range->second}.usable();
    }
    Range out;
    for (const ChartCurve& curve : chart.curves) {
        for (const auto* values : {&curve.y, &curve.low, &curve.high}) {
            std::ranges::for_each(*values, [&](double value) { out.add(value); });
        }
    }
    out = out.usable();
    const double margin = (out.high - out.low) * 0.04;
    const bool touches_zero = out.low >= 0 && out.low < (out.high - out.low) / 4;
    return {.low = touches_zero ? 0 : out.low - margin, .high = out.high + margin};
}

// The rows of a legend, as the positions of its names. It is left out for a single curve.
std::vector<SvgPoint> legend_places(const Chart& chart) {
    std::vector<SvgPoint> out;
    SvgPoint at{.x = kLeft, .y = kTitle + 4};
    for (const ChartCurve& curve : chart.curves) {
        const double width = kSwatch + kLetter * static_cast<double>(curve.name.size()) + 16;
        if (at.x > kLeft && at.x + width > chart.width - kRight) {
            at = {.x = kLeft, .y = at.y + kLegendRow};
        }
        out.push_back(at);
        at.x += width;
    }
    return chart.curves.size() > 1 ? out : std::vector<SvgPoint>();
}

void draw_axes(SvgWriter& svg, const Chart& chart, const Frame& frame) {
    const auto most = static_cast<std::size_t>(std::max((frame.bottom - frame.top) / kTickGap, 2.0));
    const std::vector<double> rows = ticks(frame.y.low, frame.y.high, most);
    for (const double value : rows) {
        const double y = frame.at(frame.x.low, value).y;
        svg.line({frame.left, y}, {frame.right, y}, "grid");
        svg.text({frame.left - 8, y + 4}, "end", tick_text(value, rows.size() > 1 ? rows[1] - rows[0] : value), "tick");
    }
    const auto columns = ticks(frame.x.low, frame.x.high, static_cast<std::size_t>(std::max(chart.width / 90, 2.0)));
    for (const double value : columns) {
        const double x = frame.at(value, frame.y.low).x;
        svg.line({x, frame.bottom}, {x, frame.bottom + 5}, "axis");
        svg.text({x, frame.bottom + 19}, "middle",
                 tick_text(value, columns.size() > 1 ? columns[1] - columns[0] : value), "tick");
    }
    svg.line({frame.left, frame.bottom}, {frame.right, frame.bottom}, "axis");
    svg.text({(frame.left + frame.right) / 2, frame.bottom + 41}, "middle", chart.x_label, "label");
    svg.text({18, (frame.top + frame.bottom) / 2}, "middle", chart.y_label, "label", true);
}

// Adds a point of a curve; a value that holds until the next point adds two.
void add_point(std::vector<SvgPoint>& points, SvgPoint point, bool steps) {
    if (steps && !points.empty()) {
        points.push_back({.x = point.x, .y = points.back().y});
    }
    points.push_back(point);
}

void draw_band(SvgWriter& svg, const ChartCurve& curve, const Frame& frame, std::size_t index) {
    std::vector<SvgPoint> outline;
    std::vector<SvgPoint> below;
    for (std::size_t i = 0; i < curve.low.size(); ++i) {
        if (std::isfinite(curve.low[i]) && std::isfinite(curve.high[i])) {
            add_point(outline, frame.at(curve.x[i], curve.high[i]), curve.steps);
            add_point(below, frame.at(curve.x[i], curve.low[i]), curve.steps);
        }
    }
    outline.insert(outline.end(), below.rbegin(), below.rend());
    if (below.size() > 1) {
        svg.polygon(outline, numbered("band", index));
    }
}

void draw_curve(SvgWriter& svg, const ChartCurve& curve, const Frame& frame, std::size_t index) {
    std::vector<SvgPoint> piece;
    const auto flush = [&] {
        if (piece.size() == 1) {
            svg.circle(piece.front(), 3, numbered("dot", index));
        } else if (!piece.empty()) {
            svg.polyline(piece, numbered("curve", index));
        }
        piece.clear();
    };
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (std::isfinite(curve.y[i])) {
            add_point(piece, frame.at(curve.x[i], curve.y[i]), curve.steps);
        } else {
            flush();
        }
    }
    flush();
}

}  // namespace

std::string to_svg(const Chart& chart) {
    SvgWriter svg(chart.width, chart.height, chart.title, style_of(chart.curves.size()));
    svg.rectangle({0, 0}, chart.width, chart.height, "page");
    svg.text({kLeft, 25}, "start", chart.title, "title");
    const std::vector<SvgPoint> legend = legend_places(chart);
    for (std::size_t i = 0; i < legend.size(); ++i) {
        svg.line({legend[i].x, legend[i].y}, {legend[i].x + kSwatch - 8, legend[i].y}, numbered("curve", i));
        svg.text({legend[i].x + kSwatch, legend[i].y + 4}, "start", chart.curves[i].name, "label");
    }
    const Frame frame{.x = x_range(chart),
                      .y = y_range(chart),
                      .left = kLeft,
                      .right = chart.width - kRight,
                      .top = (legend.empty() ? kTitle : legend.back().y + kLegendRow),
                      .bottom = chart.height - kBottom};
    draw_axes(svg, chart, frame);
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        draw_band(svg, chart.curves[i], frame, i);
    }
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        draw_curve(svg, chart.curves[i], frame, i);
    }
    return svg.finish();
}

}  // namespace tenon
