// SPDX-License-Identifier: Apache-2.0
#include "tenon/transform.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace transform_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

struct Double {
    static constexpr std::string_view column = "reward";
    static tenon::Spec change(tenon::Spec spec) {
        spec.high[0] *= 2;
        return spec;
    }
    static double apply(double x) { return 2 * x; }
};

// Pixels to numbers, plus how many rows it has seen in the episode; with memory of its own on the outside.
struct Pixels {
    struct Lane {
        std::int64_t seen = 0;
    };
    static constexpr std::string_view column = "observation";

    static tenon::Spec change(const tenon::Spec& spec) { return tenon::bounded(spec.key, spec.shape, 0, 100, TN_F32); }
    static void begin(Lane& lane) { lane.seen = 0; }
    static void apply(Lane& lane, std::span<const std::uint8_t> in, std::span<float> out) {
        out[0] = static_cast<float>(in[0]) / 255 + static_cast<float>(lane.seen++);
    }
};

struct Negate {
    static constexpr std::string_view column = "action";
    static void invert(std::span<const double> outer, std::span<double> inner) { inner[0] = -outer[0]; }
};

// The distance from the first number, which is written first.
template <bool InPlace>
struct FromFirst {
    static constexpr std::string_view column = "place";
    static constexpr bool in_place = InPlace;
    static void apply(std::span<const float> in, std::span<float> out) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            out[i] = in[i] - in[0];
        }
    }
};

// Three elements of any type in the opposite order.
struct Backwards {
    static constexpr std::string_view column = "place";
    static void apply(std::span<const std::byte> in, std::span<std::byte> out) {
        const std::size_t size = in.size() / 3;
        for (std::size_t i = 0; i < 3; ++i) {
            std::ranges::copy(in.subspan((2 - i) * size, size), out.subspan(i * size, size).begin());
        }
    }
};

// Counts steps of all lanes, and ends episodes at the second step.
struct Count {
    struct Lane {
        std::int64_t steps = 0;
        std::int64_t since_gather = 0;
    };
    std::int64_t all = 0;
    tenon::Port out;

    void wire(tenon::TransformSpecs& specs) {
        specs.remove("lives");
        specs.add(out, tenon::unbounded("count", {2}, TN_I64));
    }
    static void begin(Lane& lane) { lane.steps = 0; }
    void step(Lane& lane, const tenon::TransformRow& row) const {
        ++lane.since_gather;
        row.row<std::int64_t>(out)[0] = ++lane.steps;
        row.row<std::int64_t>(out)[1] = all;
        if (lane.steps == 2) {
            row.truncate();
        }
    }
    void gather(std::span<Lane> lanes) {
        for (Lane& lane : lanes) {
            all += std::exchange(lane.since_gather, 0);
        }
    }
    void state(tenon::Archive& archive) { archive(all); }
};

std::vector<tenon::Spec> specs_of_env() {
    return {with_role(TN_ROLE_OBSERVATION, tenon::bounded("observation", {1}, 0, 255, TN_U8)),
            with_role(TN_ROLE_ACTION, tenon::bounded("action", {1}, -1, 1, TN_F64)),
            with_role(TN_ROLE_REWARD, tenon::bounded("reward", {}, -1, 1)),
            with_role(TN_ROLE_EXTRA, tenon::unbounded("lives"))};
}

constexpr auto kDouble = tenon::transform<Double>("double", "twice");
constexpr auto kPixels = tenon::transform<Pixels>("pixels", "pixels to numbers");
constexpr auto kNegate = tenon::transform<Negate>("negate", "the other way round");
constexpr auto kFromFirst = tenon::transform<FromFirst<false>>("from_first", "distances");
constexpr auto kInPlace = tenon::transform<FromFirst<true>>("in_place", "distances");
constexpr auto kBackwards = tenon::transform<Backwards>("backwards", "the other way round");
constexpr auto kCount = tenon::transform<Count>("count", "counts");

}  // namespace

TEST_CASE("rewards are changed in place and their bounds with them") {
    TransformRig rig(kDouble, specs_of_env(), 3, 2);
    CHECK(rig.api->invert == nullptr);
    CHECK(rig.common == nullptr);
    CHECK(rig.spec("reward").high == std::vector{2.0});
    CHECK(rig.spec("reward").role == TN_ROLE_REWARD);
    CHECK(rig.spec("observation").dtype == TN_U8);
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        rig.flags(0, lane, lane == 1);
        rig.inner.at<float>("reward", 0, lane) = 10;
    }
    rig.reset(0);
    CHECK(rig.out<float>("reward", 0, 0) == 10);
    rig.step(0);
    CHECK(rig.out<float>("reward", 0, 0) == 20);
    CHECK(rig.out<float>("reward", 0, 1) == 20);
    CHECK(rig.canaries_intact());
}

TEST_CASE("element by element goes for every type of number") {
    std::vector<tenon::Spec> specs = specs_of_env();
    specs[2].dtype = TN_F64;
    TransformRig rig(kDouble, specs, 2, 1);
    rig.flags(0, 0, false);
    rig.inner.at<double>("reward", 0, 0) = 0.1;
    rig.step(0);
    CHECK(rig.out<double>("reward", 0, 0) == 0.2);
    CHECK(tenon::number_as<std::uint8_t>(-3) == 0);
    CHECK(tenon::number_as<std::uint8_t>(300) == 255);
    CHECK(tenon::number_as<std::int64_t>(1e30) == std::numeric_limits<std::int64_t>::max());
    CHECK(tenon::number_as<std::int32_t>(std::nan("")) == 0);
    CHECK(tenon::number_as<bool>(0.5));
}

TEST_CASE("observations go to memory of their own, the last ones of an episode too") {
    TransformRig rig(kPixels, specs_of_env(), 3, 2);
    CHECK(rig.spec("observation").dtype == TN_F32);
    rig.inner.at<std::uint8_t>("observation", 0, 0) = 255;
    rig.inner.at<std::uint8_t>("observation", 0, 1) = 0;
    rig.reset(0);
    CHECK(rig.out<float>("observation", 0, 0) == 1);
    CHECK(rig.out<float>("observation", 0, 1) == 0);

    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        rig.flags(0, lane, false, lane == 1);
        rig.inner.at<std::uint8_t>("observation", 1, lane) = 0;
        rig.inner.at<std::uint8_t>("next.observation", 0, lane) = 255;
    }
    rig.out<float>("observation", 1, 1) = -7;
    rig.step(0);
    CHECK(rig.out<float>("observation", 1, 0) == 1);       // 0 + the row it had seen
    CHECK(rig.out<float>("next.observation", 0, 1) == 2);  // 1 + the row it had seen
    CHECK(rig.out<float>("observation", 1, 1) == -7);      // comes with the reset
    rig.reset(1, {0, 1});
    CHECK(rig.out<float>("observation", 1, 1) == 0);
    CHECK(rig.out<float>("observation", 1, 0) == 1);
    CHECK(rig.canaries_intact());
}

TEST_CASE("a row that is written in place is read as it was before, unless the author has said in_place") {
    constexpr std::uint32_t kSlots = 3;
    constexpr std::uint32_t kLanes = 20;
    std::vector<tenon::Spec> specs = specs_of_env();
    specs.push_back(with_role(TN_ROLE_OBSERVATION, tenon::unbounded("place", {3})));
    const auto after = [&](auto component) {
        TransformRig rig(component, specs, kSlots, kLanes);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            rig.flags(0, lane, lane == 7);
            for (std::size_t i = 0; i < 3; ++i) {
                const auto first = static_cast<float>(lane + 1);
                rig.inner.at<float>("place", 1, lane, i) = first + static_cast<float>(i);
                rig.inner.at<float>("next.place", 0, lane, i) = first + static_cast<float>(i);
            }
        }
        rig.step(0);
        CHECK(rig.canaries_intact());
        std::vector<std::vector<float>> rows;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            const auto* const row =
                &(lane == 7 ? rig.out<float>("next.place", 0, lane) : rig.out<float>("place", 1, lane));
            rows.emplace_back(row, row + 3);
        }
        return rows;
    };
    CHECK(after(kFromFirst) == std::vector(kLanes, std::vector<float>{0, 1, 2}));
    const auto turned = after(kBackwards);
    const auto raw = after(kInPlace);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const auto first = static_cast<float>(lane + 1);
        CHECK(turned[lane] == std::vector{first + 2, first + 1, first});
        CHECK(raw[lane] == std::vector<float>{0, first + 1, first + 2});
    }
}

TEST_CASE("actions go the other way") {
    TransformRig rig(kNegate, specs_of_env(), 3, 2);
    REQUIRE(rig.api->invert != nullptr);
    rig.out<double>("action", 2, 1) = 0.5;
    rig.out<double>("action", 2, 0) = -1;
    rig.invert(2);
    CHECK(rig.inner.at<double>("action", 2, 1) == -0.5);
    CHECK(rig.inner.at<double>("action", 2, 0) == 1);
}

TEST_CASE("a transform makes columns, removes them, ends episodes and learns from all lanes together") {
    TransformRig rig(kCount, specs_of_env(), 4, 2);
    CHECK_FALSE(rig.has("lives"));
    CHECK(rig.spec("count").role == TN_ROLE_OBSERVATION);
    REQUIRE(rig.common != nullptr);
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            rig.flags(slot, lane, slot == 0 && lane == 1);
        }
    }
    rig.reset(0);
    rig.gather();
    rig.step(0);
    CHECK(rig.out<std::int64_t>("count", 1, 0, 0) == 1);
    CHECK(rig.out<std::int64_t>("next.count", 0, 1, 0) == 1);  // the episode of lane 1 has ended
    CHECK_FALSE(rig.inner.at<bool>("truncated", 0, 0));
    rig.gather();
    rig.reset(1, {0, 1});
    rig.step(1);
    CHECK(rig.out<std::int64_t>("count", 2, 0, 0) == 2);
    CHECK(rig.out<std::int64_t>("count", 2, 1, 0) == 1);
    CHECK(rig.out<std::int64_t>("count", 2, 0, 1) == 2);  // as gathered, not as counted
    CHECK(rig.inner.at<bool>("truncated", 1, 0));
    CHECK_FALSE(rig.inner.at<bool>("truncated", 1, 1));
    CHECK(rig.canaries_intact());
}

TEST_CASE("what belongs to a lane is saved with it, what lanes have in common apart from them") {
    const std::vector<tenon::Spec> specs = specs_of_env();
    TransformRig rig(kPixels, specs, 3, 2);
    TransformRig other(kPixels, specs, 3, 2);
    rig.inner.at<std::uint8_t>("observation", 0, 0) = 0;
    other.inner.at<std::uint8_t>("observation", 1, 0) = 0;
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        other.flags(0, lane, false);
    }
    rig.reset(0);
    tenon::test::StateBytes state;
    REQUIRE(state.save(rig.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(other.instance, 0, 1) == TN_OK);
    other.step(0);
    CHECK(other.out<float>("observation", 1, 0) == 1);
    CHECK(state.save(rig.instance, 1, 2) == TN_INVALID_ARGUMENT);

    TransformRig counts(kCount, specs, 3, 2);
    TransformRig copy(kCount, specs, 3, 1);
    counts.flags(0, 0, false);
    counts.flags(0, 1, false);
    counts.step(0);
    counts.gather();
    tenon::test::CommonBytes common;
    REQUIRE(common.save(counts.common, counts.instance) == TN_OK);
    CHECK(common.bytes.size() == sizeof(std::int64_t));
    REQUIRE(common.load(copy.common, copy.instance) == TN_OK);
    copy.flags(0, 0, false);
    copy.step(0);
    CHECK(copy.out<std::int64_t>("count", 1, 0, 1) == 2);
}

TEST_CASE("a transform refuses columns that it cannot work on") {
    std::vector<tenon::Spec> specs = specs_of_env();
    specs.erase(specs.begin() + 2);
    CHECK(refusal(kDouble, specs) == "there is no column 'reward' to transform; there are observation, action, lives");
    specs = specs_of_env();
    specs[0].dtype = TN_F64;
    CHECK_THAT(refusal(kPixels, specs), ContainsSubstring("column 'observation' goes from float64"));
    specs = specs_of_env();
    specs[0].role = TN_ROLE_ACTION;
    CHECK_THAT(refusal(kPixels, specs), ContainsSubstring("'observation' is an action"));
    specs = specs_of_env();
    specs[1].role = TN_ROLE_OBSERVATION;
    CHECK_THAT(refusal(kNegate, specs), ContainsSubstring("'action' is not an action"));
    specs = specs_of_env();
    specs[0].key = "count";
    CHECK_THAT(refusal(kCount, specs), ContainsSubstring("the column 'count' already exists"));
}

}  // namespace transform_test
