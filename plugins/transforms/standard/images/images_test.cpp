// SPDX-License-Identifier: Apache-2.0
// resize, grey and crops against OpenCV and torch (golden/images.txt), and what they refuse.
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "images/centre_crop.hpp"
#include "images/crop.hpp"
#include "images/grey.hpp"
#include "images/resize.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace images_test {

using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

constexpr auto kResize = tenon::transform<Resize>("resize", "resizes");
constexpr auto kCentreCrop = tenon::transform<CentreCrop>("centre_crop", "crops");
constexpr auto kCrop = tenon::transform<Crop>("crop", "crops");
constexpr auto kGrey = tenon::transform<Grey>("grey", "greys");

struct Golden {
    std::string what;
    std::int64_t height, width, channels, tall, wide;
    std::vector<std::uint64_t> bytes;  // or their hash
};

std::vector<Golden> read_golden() {
    std::ifstream file(TENON_GOLDEN_DIR "/images.txt");
    std::vector<Golden> out;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) {
            continue;
        }
        std::istringstream words(line);
        Golden one;
        words >> one.what >> one.height >> one.width >> one.channels >> one.tall >> one.wide;
        for (std::string word; words >> word;) {
            if (word != "hash") {
                one.bytes.push_back(std::stoull(word));
            }
        }
        out.push_back(one);
    }
    return out;
}

std::uint8_t pixel(std::size_t i) {
    return static_cast<std::uint8_t>((i * i * 7 + i * 13 + i / 5) % 256);
}

std::vector<tenon::Spec> image_of(tenon::Shape shape, std::int32_t dtype = TN_U8) {
    return {with_role(TN_ROLE_OBSERVATION, tenon::bounded("observation", std::move(shape), 0, 255, dtype))};
}

void set(auto& option, std::string_view text) {
    option.text = tenon::to_str(text);
}

// The result for the image of a line, whose channels are last; as chw, planes one after the other.
template <class Component, class Change>
std::vector<std::uint8_t> result(Component component, const Golden& one, bool planes, const Change& change) {
    const tenon::Shape shape =
        planes ? tenon::Shape{one.channels, one.height, one.width} : tenon::Shape{one.height, one.width, one.channels};
    TransformRig rig(component, image_of(shape), 2, 1, [&](auto& options) {
        set(options["layout"], planes ? "chw" : "hwc");
        change(options);
    });
    const auto size = static_cast<std::size_t>(one.height * one.width);
    const auto channels = static_cast<std::size_t>(one.channels);
    for (std::size_t i = 0; i < size * channels; ++i) {
        const std::size_t at = planes ? (i % channels) * size + i / channels : i;
        rig.inner.at<std::uint8_t>("observation", 0, 0, at) = pixel(i);
    }
    rig.reset(0);
    const auto count = static_cast<std::size_t>(rig.spec("observation").elements());
    const std::size_t per_plane = static_cast<std::size_t>(one.tall * one.wide);
    const std::size_t depth = count / per_plane;
    std::vector<std::uint8_t> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = rig.out<std::uint8_t>("observation", 0, 0, planes ? (i % depth) * per_plane + i / depth : i);
    }
    CHECK(rig.canaries_intact());
    return out;
}

std::vector<std::uint8_t> result(const Golden& one, bool planes) {
    const auto size = [&](auto& options) {
        options["height"].integer = one.tall;
        options["width"].integer = one.wide;
    };
    if (one.what == "grey") {
        return result(kGrey, one, planes, [](auto&) {});
    }
    if (one.what == "centre_crop") {
        return result(kCentreCrop, one, planes, size);
    }
    if (one.what == "crop") {
        return result(kCrop, one, planes, [&](auto& options) {
            size(options);
            options["top"].integer = 2;
            options["left"].integer = 3;
        });
    }
    return result(kResize, one, planes, [&](auto& options) {
        size(options);
        set(options["method"], one.what);
    });
}

void compare(const Golden& one, const std::vector<std::uint8_t>& bytes) {
    CAPTURE(one.what, one.height, one.width, one.channels, one.tall, one.wide);
    if (one.bytes.size() == 1) {
        std::uint64_t hash = 14695981039346656037U;
        for (const std::uint8_t byte : bytes) {
            hash = (hash ^ byte) * 1099511628211U;
        }
        CHECK(hash == one.bytes[0]);
        return;
    }
    REQUIRE(bytes.size() == one.bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        CAPTURE(i);
        const bool near = one.what == "bilinear" || one.what == "bicubic" || one.what == "antialias";
        CHECK(std::abs(static_cast<int>(bytes[i]) - static_cast<int>(one.bytes[i])) <= (near ? 1 : 0));
    }
}

}  // namespace

TEST_CASE("resize, grey and crops equal OpenCV and torch, channels first and last") {
    const std::vector<Golden> all = read_golden();
    REQUIRE(all.size() == 17);
    for (const Golden& one : all) {
        for (const bool planes : {false, true}) {
            compare(one, result(one, planes));
        }
    }
}

TEST_CASE("resize of floats does not round, and a picture may have no channels") {
    TransformRig rig(kResize, image_of({2, 5}, TN_F32), 2, 1, [](auto& options) {
        options["height"].integer = 1;
        options["width"].integer = 2;
    });
    CHECK(rig.spec("observation").shape == tenon::Shape{1, 2});
    for (std::size_t i = 0; i < 10; ++i) {
        rig.inner.at<float>("observation", 0, 0, i) = static_cast<float>(i);
    }
    rig.reset(0);
    CHECK_THAT(rig.out<float>("observation", 0, 0, 0), Catch::Matchers::WithinAbs((0 + 1 + 0.5 * 2) / 2.5 + 2.5, 1e-5));
    CHECK_THAT(rig.out<float>("observation", 0, 0, 1), Catch::Matchers::WithinAbs((0.5 * 2 + 3 + 4) / 2.5 + 2.5, 1e-5));
}

TEST_CASE("what is no image is refused") {
    CHECK(refusal(kResize, image_of({4})) ==
          "column 'observation' has 1 dimension, and an image has 3: channels, height and width");
    CHECK(refusal(kResize, image_of({1, 4, 4}, TN_F64)) ==
          "column 'observation' has elements of type float64, and images have uint8 or float32 numbers");
    CHECK(refusal(kGrey, image_of({1, 4, 4})) ==
          "column 'observation' has 1 channels, and red, green and blue are 3; 'layout' says where they are");
}

TEST_CASE("a rectangle outside of the image is refused") {
    const auto size = [](auto& options) {
        options["height"].integer = 4;
        options["width"].integer = 6;
    };
    CHECK(refusal(kCentreCrop, image_of({1, 5, 5}), size) ==
          "column 'observation' has images of 5 x 5 pixels, too small for 4 x 6");
    CHECK(refusal(kCrop, image_of({1, 5, 8}), [&](auto& options) {
              size(options);
              options["left"].integer = 3;
          }) == "the rectangle ends at row 4 and column 9, outside of the 5 x 8 pixels of 'observation'");
}

}  // namespace images_test
