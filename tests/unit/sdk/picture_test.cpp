// SPDX-License-Identifier: Apache-2.0
// Pictures that an env draws: which pixels a shape covers.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "tenon/picture.hpp"

namespace picture_test {

using tenon::Colour;
using tenon::Picture;

namespace {

constexpr Colour kBlack{0, 0, 0};

// A picture of grey shades; at(row, column) counts from the top left.
struct Canvas {
    std::uint32_t height, width;
    std::vector<std::uint8_t> pixels = std::vector<std::uint8_t>(std::size_t{3} * height * width);
    Picture picture = {pixels, height, width};

    [[nodiscard]] int at(std::size_t row, std::size_t column) const { return pixels[(row * width + column) * 3]; }
    [[nodiscard]] double covered() const {  // in pixels
        double sum = 0;
        for (std::size_t i = 0; i < pixels.size(); i += 3) {
            sum += (255 - pixels[i]) / 255.0;
        }
        return sum;
    }
};

}  // namespace

TEST_CASE("a picture begins white, and a box covers its pixels and no others") {
    Canvas canvas{4, 6};
    CHECK(canvas.covered() == 0);
    canvas.picture.box({1, 0}, {3, 2}, kBlack);
    CHECK(canvas.covered() == 4);
    CHECK(canvas.at(3, 1) == 0);  // y grows upwards
    CHECK(canvas.at(2, 2) == 0);
    CHECK(canvas.at(1, 1) == 255);
    CHECK(canvas.at(3, 3) == 255);
}

TEST_CASE("a pixel that a box half covers is half covered") {
    Canvas canvas{1, 4};
    canvas.picture.box({1.5, 0}, {4, 1}, kBlack);
    CHECK(canvas.at(0, 0) == 255);
    CHECK(canvas.at(0, 1) == 128);
    CHECK(canvas.at(0, 2) == 0);
}

TEST_CASE("a disc and a line cover about their area") {
    Canvas disc{100, 100};
    disc.picture.disc({50, 50}, 30, kBlack);
    CHECK(disc.covered() == Catch::Approx(M_PI * 900).epsilon(0.002));
    Canvas line{100, 100};
    line.picture.line({20, 20}, {80, 60}, 6, kBlack);
    CHECK(line.covered() == Catch::Approx(6 * std::hypot(60, 40) + M_PI * 9).epsilon(0.005));
}

TEST_CASE("a polygon is the same whichever way its corners are ordered") {
    Canvas one{50, 50}, other{50, 50};
    one.picture.polygon({{5, 5}, {40, 10}, {20, 45}}, kBlack);
    other.picture.polygon({{20, 45}, {40, 10}, {5, 5}}, kBlack);
    CHECK(one.pixels == other.pixels);
    CHECK(one.covered() == Catch::Approx((35 * 40 - 15 * 5) / 2.0).epsilon(0.01));
}

TEST_CASE("the visible part of the world fills the picture without distortion") {
    Canvas canvas{100, 200};
    canvas.picture.show({-1, -1}, {1, 1});  // 50 pixels a unit; the width shows from -2 to 2
    canvas.picture.box({-2, -1}, {0, 1}, kBlack);
    CHECK(canvas.at(0, 0) == 0);
    CHECK(canvas.at(99, 99) == 0);
    CHECK(canvas.at(99, 100) == 255);
}

TEST_CASE("shapes outside the picture, or without extent, write nothing outside") {
    Canvas canvas{10, 10};
    canvas.picture.disc({-50, 5}, 3, kBlack);
    canvas.picture.box({20, 20}, {30, 30}, kBlack);
    canvas.picture.line({5, 200}, {5, 300}, 2, kBlack);
    canvas.picture.polygon({{3, 3}, {3, 3}, {3, 3}}, kBlack);
    CHECK(canvas.covered() == 0);
    canvas.picture.box({-1e9, -1e9}, {1e9, 1e9}, kBlack);
    CHECK(canvas.covered() == 100);
}

TEST_CASE("colours are blended by channel") {
    std::array<std::uint8_t, 3> pixel{};
    Picture picture(pixel, 1, 1);
    picture.fill({0, 100, 200});
    picture.box({0, 0}, {0.5, 1}, {200, 0, 200});
    CHECK(pixel == std::array<std::uint8_t, 3>{100, 50, 200});
}

}  // namespace picture_test
