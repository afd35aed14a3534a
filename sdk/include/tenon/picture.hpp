// SPDX-License-Identifier: Apache-2.0
// A picture into which an env draws one of its lanes. The env says how large its pictures are and draws its state:
//
//     static tenon::PictureSize picture() { return {.height = 200, .width = 300, .steps_per_second = 50}; }
//     void draw(tenon::Picture& picture) const {
//         picture.show({-2.4, -0.5}, {2.4, 2.5});                  // the part of the world that is visible
//         picture.line({x, 0}, {x + 1, 1}, 0.1, {200, 80, 40});
//     }
//
// An env of packs draws the numbers of one lane: void draw(std::span<const double, N> state, tenon::Picture&) const. An
// env of batches draws by number: void draw(std::uint32_t lane, tenon::Picture&) const.
//
// Points and lengths are in units of the world, and y grows upwards. Edges are smooth. Later shapes cover earlier ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct PictureSize {
    std::uint32_t height = 0;
    std::uint32_t width = 0;
    double steps_per_second = 0;  // of the world; 0: it has no clock
};

struct Colour {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
};

struct Point {
    double x = 0;
    double y = 0;
};

class Picture {
public:
    // pixels: [height][width][3], from the top row down. One pixel is one unit until show is called.
    Picture(std::span<std::uint8_t> pixels, std::uint32_t height, std::uint32_t width)
        : pixels_(pixels), height_(height), width_(width) {
        fill({255, 255, 255});
        show({0, 0}, {static_cast<double>(width), static_cast<double>(height)});
    }

    // [height][width][3], from the top row down, for an env that has its own way to draw.
    [[nodiscard]] std::span<std::uint8_t> pixels() const { return pixels_; }

    // Fits this part of the world into the picture's middle, as large as possible.
    void show(Point low, Point high) {
        scale_ = std::min(width_ / (high.x - low.x), height_ / (high.y - low.y));
        left_ = (low.x + high.x) / 2 - width_ / scale_ / 2;
        top_ = (low.y + high.y) / 2 + height_ / scale_ / 2;
    }

    void fill(Colour colour) {
        for (std::size_t at = 0; at < pixels_.size(); at += 3) {
            pixels_[at] = colour.red;
            pixels_[at + 1] = colour.green;
            pixels_[at + 2] = colour.blue;
        }
    }

    void disc(Point centre, double radius, Colour colour) { line(centre, centre, 2 * radius, colour); }

    // With round ends.
    void line(Point from, Point to, double thickness, Colour colour) {
        const Point a = pixel_of(from), b = pixel_of(to);
        const double radius = thickness * scale_ / 2, dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
        paint(Box::around({a, b}).grown(radius), colour, [=](Point p) {
            const double along = ((p.x - a.x) * dx + (p.y - a.y) * dy) / square;
            const double at = square > 0 ? std::clamp(along, 0.0, 1.0) : 0.0;
            const double x = p.x - a.x - at * dx, y = p.y - a.y - at * dy;
            return std::sqrt(x * x + y * y) - radius;
        });
    }

    void box(Point low, Point high, Colour colour) { polygon({low, {high.x, low.y}, high, {low.x, high.y}}, colour); }

    // Convex, of at most 16 corners in either order.
    void polygon(std::initializer_list<Point> corners, Colour colour) {
        constexpr std::size_t kMost = 16;
        Point at[kMost] = {};
        const std::size_t count = std::min(corners.size(), kMost);
        double area = 0;
        for (std::size_t i = 0; i < count; ++i) {
            at[i] = pixel_of(corners.begin()[i]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            area += cross(at[i], at[(i + 1) % count]);
        }
        if (area == 0) {
            return;
        }
        const double side = area > 0 ? 1 : -1;
        struct Edge {
            Point from;
            double dx, dy, length;
        };
        Edge edges[kMost] = {};
        std::size_t edge_count = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const Point a = at[i], b = at[(i + 1) % count];
            const double dx = b.x - a.x, dy = b.y - a.y, length = std::sqrt(dx * dx + dy * dy);
            if (length > 0) {
                edges[edge_count++] = {a, dx, dy, length};
            }
        }
        // Inside, the distance to the outline is that to the nearest of the straight lines through the edges.
        paint(Box::around({at, count}), colour, [&](Point p) {
            double farthest = -std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < edge_count; ++i) {
                const auto& [a, dx, dy, length] = edges[i];
                farthest = std::max(farthest, side * ((p.x - a.x) * dy - (p.y - a.y) * dx) / length);
            }
            return farthest;
        });
    }

private:
    struct Box {
        double left, top, right, bottom;

        static Box around(std::span<const Point> points) {
            Box box{points[0].x, points[0].y, points[0].x, points[0].y};
            for (const Point p : points) {
                box = {std::min(box.left, p.x), std::min(box.top, p.y), std::max(box.right, p.x),
                       std::max(box.bottom, p.y)};
            }
            return box;
        }
        static Box around(std::initializer_list<Point> points) { return around({points.begin(), points.size()}); }
        [[nodiscard]] Box grown(double by) const { return {left - by, top - by, right + by, bottom + by}; }
    };

    static double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }

    [[nodiscard]] Point pixel_of(Point p) const { return {(p.x - left_) * scale_, (top_ - p.y) * scale_}; }

    static std::size_t pixel_at(double place, std::uint32_t end) {
        return place > 0 ? static_cast<std::size_t>(std::min(place, static_cast<double>(end))) : 0;
    }

    // distance: from a pixel's centre to the outline, negative inside. It says how much of the pixel is covered: half
    // of it on the outline, nothing half a pixel outside.
    template <class Distance>
    void paint(const Box& box, Colour colour, Distance&& distance) {
        const std::size_t left = pixel_at(box.left - 1, width_), right = pixel_at(box.right + 2, width_);
        const std::size_t top = pixel_at(box.top - 1, height_), bottom = pixel_at(box.bottom + 2, height_);
        for (std::size_t row = top; row < bottom; ++row) {
            for (std::size_t column = left; column < right; ++column) {
                const Point centre{static_cast<double>(column) + 0.5, static_cast<double>(row) + 0.5};
                const double cover = std::clamp(0.5 - distance(centre), 0.0, 1.0);
                if (cover > 0) {
                    blend(&pixels_[(row * width_ + column) * 3], colour, cover);
                }
            }
        }
    }

    static void blend(std::uint8_t* pixel, Colour colour, double cover) {
        const auto mixed = [cover](std::uint8_t below, std::uint8_t above) {
            const double value = below + cover * (above - below);  // not negative
            const auto whole = static_cast<int>(value);
            return static_cast<std::uint8_t>(whole + (value - whole >= 0.5 ? 1 : 0));  // lround, without a call
        };
        pixel[0] = mixed(pixel[0], colour.red);
        pixel[1] = mixed(pixel[1], colour.green);
        pixel[2] = mixed(pixel[2], colour.blue);
    }

    std::span<std::uint8_t> pixels_;
    std::uint32_t height_;
    std::uint32_t width_;
    double scale_ = 1;  // pixels per unit of the world
    double left_ = 0;   // the world's x at the left edge
    double top_ = 0;    // and its y at the top edge
};

}  // namespace TENON_SDK
}  // namespace tenon
