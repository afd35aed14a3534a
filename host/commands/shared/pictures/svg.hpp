// SPDX-License-Identifier: Apache-2.0
// The text of an SVG picture, element by element. Everything that comes from users is escaped.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tenon {

struct SvgPoint {
    double x = 0;
    double y = 0;
};

class SvgWriter {
public:
    // `title` is what a screen reader says; `style`: rules of CSS for the classes below.
    SvgWriter(double width, double height, std::string_view title, std::string_view style);

    void rectangle(SvgPoint corner, double width, double height, std::string_view css_class);
    void line(SvgPoint from, SvgPoint to, std::string_view css_class);
    void polyline(std::span<const SvgPoint> points, std::string_view css_class);
    void polygon(std::span<const SvgPoint> points, std::string_view css_class);
    void circle(SvgPoint centre, double radius, std::string_view css_class);
    // anchor: "start", "middle", "end". turned: reads upwards.
    void text(SvgPoint at, std::string_view anchor, std::string_view text, std::string_view css_class,
              bool turned = false);

    // The whole picture. Nothing may be added afterwards.
    std::string finish() { return std::move(out_) + "</svg>\n"; }

private:
    void points(std::string_view element, std::span<const SvgPoint> points, std::string_view css_class);

    std::string out_;
};

}  // namespace tenon
