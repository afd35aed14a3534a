// SPDX-License-Identifier: Apache-2.0
// Random crops against torchvision (golden/random_crop.txt): each that it can make is drawn, as often as the others.
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "images/random_crop.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace random_crop_test {

using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

constexpr auto kRandomCrop = tenon::transform<RandomCrop>("random_crop", "crops");

struct Case {
    std::int64_t height, width, channels, pad, tall, wide;
    auto operator<=>(const Case&) const = default;
};
using Bytes = std::vector<std::uint8_t>;

std::map<Case, std::vector<Bytes>> read_golden() {
    std::ifstream file(TENON_GOLDEN_DIR "/random_crop.txt");
    std::map<Case, std::vector<Bytes>> out;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        Case one{};
        if (words >> one.height >> one.width >> one.channels >> one.pad >> one.tall >> one.wide) {
            Bytes& bytes = out[one].emplace_back();
            for (int byte = 0; words >> byte;) {
                bytes.push_back(static_cast<std::uint8_t>(byte));
            }
        }
    }
    return out;
}

// Calls see with each of the crops that one generator draws, channels last.
template <class See>
void draw(const Case& of, bool planes, int times, const See& see) {
    const tenon::Shape shape =
        planes ? tenon::Shape{of.channels, of.height, of.width} : tenon::Shape{of.height, of.width, of.channels};
    const tenon::Spec image = tenon::bounded("observation", shape, 0, 255, TN_U8);
    TransformRig rig(kRandomCrop, {with_role(TN_ROLE_OBSERVATION, image)}, 2, 1, [&](auto& options) {
        options["layout"].text = tenon::to_str(planes ? "chw" : "hwc");
        options["pad"].integer = of.pad;
        options["height"].integer = of.tall == of.height ? 0 : of.tall;
        options["width"].integer = of.wide == of.width ? 0 : of.wide;
    });
    const auto channels = static_cast<std::size_t>(of.channels);
    const auto place = [&](std::size_t i, std::size_t pixels) {
        return planes ? i % channels * pixels + i / channels : i;
    };
    const auto pixels = static_cast<std::size_t>(of.height * of.width);
    const auto cut = static_cast<std::size_t>(of.tall * of.wide);
    for (int time = 0; time < times; ++time) {
        for (std::size_t i = 0; i < pixels * channels; ++i) {
            rig.inner.at<std::uint8_t>("observation", 0, 0, place(i, pixels)) =
                static_cast<std::uint8_t>((i * i * 7 + i * 13 + i / 5) % 256);
        }
        rig.reset(0);
        Bytes bytes(cut * channels);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = rig.out<std::uint8_t>("observation", 0, 0, place(i, cut));
        }
        see(bytes);
    }
    CHECK(rig.canaries_intact());
}

TEST_CASE("random crops are those of torchvision, each as often as it makes them") {
    const std::map<Case, std::vector<Bytes>> golden = read_golden();
    REQUIRE(golden.size() == 4);
    for (const auto& [of, crops] : golden) {
        for (const bool planes : {false, true}) {
            CAPTURE(of.height, of.width, of.pad, planes);
            std::map<Bytes, double> expected;
            std::map<Bytes, double> seen;
            constexpr double kEach = 100;
            for (const Bytes& crop : crops) {
                expected[crop] += kEach;
            }
            draw(of, planes, static_cast<int>(kEach) * static_cast<int>(crops.size()),
                 [&](const Bytes& bytes) { seen[bytes] += 1; });
            REQUIRE(seen.size() == expected.size());
            double distance = 0;
            for (const auto& [crop, times] : expected) {
                REQUIRE(seen.contains(crop));
                distance += std::pow(seen[crop] - times, 2) / times;
            }
            // Chi-square: its mean is one less than the number of crops, and the draws are the same in every run.
            const auto freedom = static_cast<double>(expected.size() - 1);
            CHECK(distance < freedom + 4 * std::sqrt(2 * freedom));
        }
    }
}

TEST_CASE("a rectangle that is larger than the padded image is refused") {
    const tenon::Spec image = with_role(TN_ROLE_OBSERVATION, tenon::bounded("observation", {1, 5, 5}, 0, 255, TN_U8));
    CHECK(refusal(kRandomCrop, {image}, [](auto& options) {
              options["pad"].integer = 1;
              options["height"].integer = 8;
          }) == "column 'observation' has images of 5 x 5 pixels, too small for 8 x 5");
}

}  // namespace

}  // namespace random_crop_test
