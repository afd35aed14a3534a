// SPDX-License-Identifier: Apache-2.0
#include "shared/pictures/svg.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <utility>

#include "base/data/xml_text.hpp"

namespace tenon {
namespace {

// The number to a tenth of a pixel, without a point if it is whole.
std::string coordinate(double value) {
    std::array<char, 40> text{};
    const int size = std::snprintf(text.data(), text.size(), "%.1f", value);
    std::string out(text.data(), static_cast<std::size_t>(std::clamp(size, 0, 39)));
    return out.ends_with(".0") ? out.substr(0, out.size() - 2) : out;
}

std::string attribute(std::string_view name, double value) {
    return " " + std::string(name) + "=\"" + coordinate(value) + "\"";
}

std::string class_of(std::string_view name) {
    return " class=\"" + std::string(name) + "\"";
}

}  // namespace

SvgWriter::SvgWriter(double width, double height, std::string_view title, std::string_view style) {
    const std::string size = coordinate(width) + " " + coordinate(height);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"" + attribute("width", width) +
           attribute("height", height) + " viewBox=\"0 0 " + size + "\">\n<title>" + xml_text(title) +
           "</title>\n<style>\n" + std::string(style) + "</style>\n";
}

void SvgWriter::rectangle(SvgPoint corner, double width, double height, std::string_view css_class) {
    out_ += "<rect" + class_of(css_class) + attribute("x", corner.x) + attribute("y", corner.y) +
            attribute("width", width) + attribute("height", height) + "/>\n";
}

void SvgWriter::line(SvgPoint from, SvgPoint to, std::string_view css_class) {
    out_ += "<line" + class_of(css_class) + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
            attribute("y2", to.y) + "/>\n";
}

void SvgWriter::points(std::string_view element, std::span<const SvgPoint> points, std::string_view css_class) {
    out_ += "<" + std::string(element) + class_of(css_class) + " points=\"";
    for (std::size_t i = 0; i < points.size(); ++i) {
        out_ += (i == 0 ? "" : " ") + coordinate(points[i].x) + "," + coordinate(points[i].y);
    }
    out_ += "\"/>\n";
}

void SvgWriter::polyline(std::span<const SvgPoint> all, std::string_view css_class) {
    points("polyline", all, css_class);
}

void SvgWriter::polygon(std::span<const SvgPoint> all, std::string_view css_class) {
    points("polygon", all, css_class);
}

void SvgWriter::circle(SvgPoint centre, double radius, std::string_view css_class) {
    out_ += "<circle" + class_of(css_class) + attribute("cx", centre.x) + attribute("cy", centre.y) +
            attribute("r", radius) + "/>\n";
}

void SvgWriter::text(SvgPoint at, std::string_view anchor, std::string_view text, std::string_view css_class,
                     bool turned) {
    const std::string place = coordinate(at.x) + " " + coordinate(at.y);
    out_ += "<text" + class_of(css_class) + attribute("x", at.x) + attribute("y", at.y) + " text-anchor=\"" +
            std::string(anchor) + "\"" + (turned ? " transform=\"rotate(-90 " + place + ")\"" : "") + ">" +
            xml_text(text) + "</text>\n";
}

}  // namespace tenon
