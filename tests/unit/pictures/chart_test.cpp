// SPDX-License-Identifier: Apache-2.0
// Charts as SVG: where points are, what is escaped, gaps, bands and legends.
#include "shared/pictures/chart.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace chart_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using tenon::Chart;
using tenon::to_svg;

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t out = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++out;
    }
    return out;
}

}  // namespace

TEST_CASE("a curve goes through its points, with its band below it") {
    const std::string svg =
        to_svg({.title = "t",
                .x_label = "frames",
                .y_label = "return",
                .curves = {{.name = "a", .x = {0, 10}, .y = {0, 1}, .low = {0, 0.5}, .high = {0.5, 1}}},
                .y_range = {{0, 1}},
                .width = 400,
                .height = 300});
    CHECK_THAT(svg, ContainsSubstring("<polyline class=\"curve c0\" points=\"66,248 380,40\"/>"));
    CHECK_THAT(svg, ContainsSubstring("<polygon class=\"band b0\" points=\"66,144 380,40 380,144 66,248\"/>"));
    CHECK(svg.find("<polygon") < svg.find("<polyline"));
    CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(svg.ends_with("</svg>\n"));
    CHECK_THAT(svg, ContainsSubstring("prefers-color-scheme: dark"));
    CHECK(count(svg, ">a</text>") == 0);  // a single curve needs no legend
}

TEST_CASE("names are escaped, and several curves have a legend that wraps") {
    std::vector<tenon::ChartCurve> curves;
    for (int i = 0; i < 12; ++i) {
        curves.push_back({.name = "<script>&\"" + std::to_string(i), .x = {1, 2}, .y = {1.0 * i, 2}});
    }
    const std::string svg = to_svg({.title = "a < b\n", .x_label = "", .y_label = "", .curves = curves});
    CHECK(count(svg, "<script") == 0);
    CHECK(count(svg, "&lt;script&gt;&amp;&quot;") == 12);
    CHECK_THAT(svg, ContainsSubstring("<title>a &lt; b </title>"));
    CHECK(count(svg, "x=\"96\" y=\"48\"") == 1);
    CHECK(count(svg, "x=\"96\" y=\"68\"") == 1);
    CHECK_THAT(svg, ContainsSubstring(".c7 { stroke-dasharray"));  // the eighth has the first one's colour
}

TEST_CASE("missing values are gaps, a lone point is a dot, and steps hold their value") {
    const double nan = std::nan("");
    const std::string svg = to_svg({.title = "",
                                    .x_label = "",
                                    .y_label = "",
                                    .curves = {{.name = "", .x = {0, 1, 2, 3, 4}, .y = {1, 2, nan, 3, nan}},
                                               {.name = "", .x = {0, 4}, .y = {0, 4}, .steps = true}}});
    CHECK(count(svg, "<polyline class=\"curve c0\"") == 1);
    CHECK(count(svg, "<circle class=\"dot d0\"") == 1);
    const std::size_t at = svg.find("<polyline class=\"curve c1\"");
    REQUIRE(at != std::string::npos);
    CHECK(count(svg.substr(at, svg.find('\n', at) - at), ",") == 3);
}

TEST_CASE("a chart without points or with equal ones is still a picture") {
    for (const auto& curve : {tenon::ChartCurve{.name = "a", .x = {}, .y = {}},
                              tenon::ChartCurve{.name = "a", .x = {5, 6}, .y = {500, 500}},
                              tenon::ChartCurve{.name = "a", .x = {5}, .y = {0}},
                              tenon::ChartCurve{.name = "a", .x = {1, 2}, .y = {INFINITY, 1}}}) {
        const std::string svg = to_svg({.title = "", .x_label = "", .y_label = "", .curves = {curve}});
        CHECK(count(svg, "nan") == 0);
        CHECK(count(svg, "inf") == 0);
        CHECK(count(svg, "class=\"grid\"") >= 1);
    }
}

}  // namespace chart_test
