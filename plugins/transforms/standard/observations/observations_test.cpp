// SPDX-License-Identifier: Apache-2.0
// What cat_columns, denormalise, frame_stack, observation_delta and time_max_pool make of columns, what they keep per
// lane, and what they refuse.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "observations/cat_columns.hpp"
#include "observations/denormalise.hpp"
#include "observations/frame_stack.hpp"
#include "observations/observation_delta.hpp"
#include "observations/observation_norm.hpp"
#include "observations/time_max_pool.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace observations_test {

using Catch::Matchers::WithinAbs;
using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

constexpr auto kCat = tenon::transform<CatColumns>("cat_columns", "joins");
constexpr auto kDelta = tenon::transform<ObservationDelta>("observation_delta", "differs");
constexpr auto kDenormalise = tenon::transform<Denormalise>("denormalise", "inverts");
constexpr auto kPool = tenon::transform<TimeMaxPool>("time_max_pool", "pools");
constexpr auto kStack = tenon::transform<FrameStack>("frame_stack", "stacks");

std::vector<tenon::Spec> specs() {
    return {with_role(TN_ROLE_OBSERVATION, tenon::bounded("state", {2}, {-1, -2}, {1, 2})),
            with_role(TN_ROLE_OBSERVATION, tenon::unbounded("speed")),
            with_role(TN_ROLE_OBSERVATION, tenon::categorical("room", 3)),
            with_role(TN_ROLE_OBSERVATION, tenon::bounded("picture", {2, 3}, 0, 255, TN_U8)),
            with_role(TN_ROLE_ACTION, tenon::categorical("action", 2)),
            with_role(TN_ROLE_REWARD, tenon::unbounded("reward"))};
}

// Keys as an option.
class Keys {
public:
    Keys(std::initializer_list<std::string_view> keys) {
        for (const std::string_view key : keys) {
            texts_.push_back(tenon::to_str(key));
        }
    }
    void into(tn_option_value& option) const {
        option.texts = texts_.data();
        option.count = texts_.size();
    }

private:
    std::vector<tn_str> texts_;
};

const Keys kState{"state"};
const Keys kPicture{"picture"};

// Plays steps with two lanes, of which the second one begins an episode after step 2; both rigs see the same from
// `slot` on, the second one with the first one's state.
template <class Component, class Change>
void expect_resumes(const Component& component, const Change& change) {
    TransformRig whole(component, specs(), 9, 2, change);
    TransformRig resumed(component, specs(), 9, 2, change);
    const auto fill = [](TransformRig& rig, const std::string& prefix, std::uint32_t slot, std::uint32_t lane) {
        for (std::size_t i = 0; i < 6; ++i) {
            const auto n = static_cast<std::uint8_t>((slot * 37 + lane * 11 + i * 5) % 23);
            rig.inner.at<std::uint8_t>(prefix + "picture", slot, lane, i) = n;
            if (i < 2) {
                rig.inner.at<float>(prefix + "state", slot, lane, i) = static_cast<float>(n);
            }
        }
    };
    const auto step = [&](TransformRig& rig, std::uint32_t slot) {
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            rig.flags(slot, lane, lane == 1 && slot == 2);
            fill(rig, "", slot + 1, lane);
            fill(rig, "next.", slot, lane);
        }
        rig.step(slot);
        if (slot == 2) {
            rig.reset(3, {0, 1});
        }
    };
    fill(whole, "", 0, 0);
    fill(whole, "", 0, 1);
    whole.reset(0);
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        step(whole, slot);
    }
    tenon::test::StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 2) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 2) == TN_OK);
    for (std::uint32_t slot = 4; slot < 7; ++slot) {
        step(whole, slot);
        step(resumed, slot);
        CHECK((whole.row_bytes(slot + 1) == resumed.row_bytes(slot + 1)));
    }
    CHECK(whole.canaries_intact());
}

}  // namespace

TEST_CASE("frame_stack along any dimension has the bounds of what it stacks") {
    const auto last = [](auto& options) {
        kPicture.into(options["columns"]);
        options["frames"].integer = 2;
        options["dim"].integer = -1;
    };
    TransformRig rig(kStack, specs(), 3, 1, last);
    CHECK(rig.spec("picture").shape == tenon::Shape{2, 6});
    for (const std::uint32_t slot : {0U, 1U}) {
        for (std::size_t i = 0; i < 6; ++i) {
            rig.inner.at<std::uint8_t>("picture", slot, 0, i) = static_cast<std::uint8_t>(slot * 10 + i);
        }
    }
    rig.reset(0);
    rig.flags(0, 0, false);
    rig.step(0);
    const std::uint8_t expected[] = {0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15};
    for (std::size_t i = 0; i < 12; ++i) {
        CHECK(rig.out<std::uint8_t>("picture", 1, 0, i) == expected[i]);
    }
    const TransformRig vector(kStack, specs(), 3, 1, [](auto& options) {
        kState.into(options["columns"]);
        options["frames"].integer = 2;
    });
    CHECK(vector.spec("state").low == std::vector<double>{-1, -2, -1, -2});
    expect_resumes(kStack, last);
    CHECK(refusal(kStack, specs(), [](auto& options) {
              kState.into(options["columns"]);
              options["dim"].integer = 1;
          }) == "option 'dim' is 1, but column 'state' has 1 dimension");
}

TEST_CASE("time_max_pool takes the greatest of the episode's last rows") {
    const auto three = [](auto& options) {
        kState.into(options["columns"]);
        options["frames"].integer = 3;
    };
    TransformRig rig(kPool, specs(), 7, 1, three);
    const float values[] = {-3, -1, -2, -5, -4, -7};
    const float expected[] = {-3, -1, -1, -1, -2, -4};
    for (std::uint32_t slot = 0; slot < 6; ++slot) {
        rig.inner.at<float>("state", slot, 0) = values[slot];
    }
    rig.reset(0);
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
        CHECK(rig.out<float>("state", slot, 0) == expected[slot]);
        rig.flags(slot, 0, false);
        rig.step(slot);
    }
    CHECK(rig.out<float>("state", 5, 0) == expected[5]);
    rig.inner.at<float>("state", 6, 0) = -9;
    rig.reset(6);
    CHECK(rig.out<float>("state", 6, 0) == -9);
    expect_resumes(kPool, three);
    expect_resumes(kPool, [](auto& options) { kPicture.into(options["columns"]); });
    const Keys room{"room"};
    CHECK(refusal(kPool, specs(), [&](auto& options) { room.into(options["columns"]); }) ==
          "column 'room' is categorical, and categories have no order");
}

TEST_CASE("observation_delta is 0 at first, then the difference from the step before") {
    const auto of_state = [](auto& options) { options["column"].text = tenon::to_str("state"); };
    TransformRig rig(kDelta, specs(), 3, 1, of_state);
    CHECK(rig.spec("observation_delta").shape == tenon::Shape{2});
    rig.inner.at<float>("state", 0, 0, 1) = 0.5F;
    rig.inner.at<float>("next.state", 0, 0, 1) = 2;
    rig.reset(0);
    CHECK(rig.out<float>("observation_delta", 0, 0, 1) == 0);
    rig.flags(0, 0, true);
    rig.step(0);
    CHECK(rig.out<float>("next.observation_delta", 0, 0, 1) == 1.5F);
    expect_resumes(kDelta, of_state);
    CHECK(refusal(kDelta, specs(), [](auto& options) { options["column"].text = tenon::to_str("room"); }) ==
          "column 'room' is not an observation of numbers");
}

TEST_CASE("cat_columns joins numbers and vectors in the order given") {
    const Keys keys{"speed", "state"};
    TransformRig rig(kCat, specs(), 2, 1, [&](auto& options) { keys.into(options["columns"]); });
    CHECK_FALSE((rig.has("speed") || rig.has("state")));
    constexpr double kNone = std::numeric_limits<double>::infinity();
    CHECK(rig.spec("observation_vector").low == std::vector<double>{-kNone, -1, -2});
    CHECK(rig.spec("observation_vector").high == std::vector<double>{kNone, 1, 2});
    rig.inner.at<float>("speed", 0, 0) = 7;
    rig.inner.at<float>("state", 0, 0, 0) = 8;
    rig.inner.at<float>("state", 0, 0, 1) = 9;
    rig.reset(0);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(rig.out<float>("observation_vector", 0, 0, i) == static_cast<float>(7 + i));
    }
    const TransformRig kept(kCat, specs(), 2, 1, [&](auto& options) {
        keys.into(options["columns"]);
        options["keep"].integer = 1;
    });
    CHECK((kept.has("speed") && kept.has("state") && kept.has("observation_vector")));
    CHECK(refusal(kCat, specs(), [](auto& options) { kPicture.into(options["columns"]); }) ==
          "column 'picture' is not an observation that is a number or a vector");
    CHECK(refusal(kCat, specs()) == "option 'columns' is empty: it needs the keys to join");
    std::vector<tenon::Spec> wide = specs();
    wide[0].dtype = TN_F64;
    CHECK(
        refusal(kCat, wide, [&](auto& options) { keys.into(options["columns"]); }) ==
        "column 'state' has elements of type float64, and the columns before it float32: standard/cast converts them");
    const Keys wrong{"sped"};
    CHECK(refusal(kCat, specs(), [&](auto& options) { wrong.into(options["columns"]); }) ==
          "there is no column 'sped' to transform; there are state, speed, room, picture, action, reward");
}

TEST_CASE("denormalise inverts observation_norm") {
    const auto of_state = [](auto& options) { options["column"].text = tenon::to_str("state"); };
    TransformRig norm(tenon::transform<ObservationNorm>("observation_norm", "normalises"), specs(), 12, 2,
                      [&](auto& options) {
                          of_state(options);
                          options["statistics"].integer = 1;
                      });
    TransformRig back(kDenormalise, norm.after, 12, 2, of_state);
    for (std::uint32_t slot = 0; slot < 10; ++slot) {
        const bool ends = slot == 4;
        const std::string key = ends ? "next." : "";
        const std::uint32_t at = ends ? slot : slot + 1;
        float raw[2][2];
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            norm.flags(slot, lane, ends);
            back.flags(slot, lane, ends);
            for (std::size_t i = 0; i < 2; ++i) {
                raw[lane][i] = static_cast<float>((slot * 7 + lane * 5 + i * 3) % 11) - 4.5F;
                norm.inner.at<float>(key + "state", at, lane, i) = raw[lane][i];
            }
        }
        norm.step(slot);
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            for (const char* column : {"state", "state_mean", "state_std"}) {
                for (std::size_t i = 0; i < 2; ++i) {
                    back.inner.at<float>(key + column, at, lane, i) = norm.out<float>(key + column, at, lane, i);
                }
            }
        }
        back.step(slot);
        norm.gather();
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            for (std::size_t i = 0; i < 2; ++i) {
                CHECK_THAT(double{back.out<float>(key + "observation_raw", at, lane, i)},
                           WithinAbs(double{raw[lane][i]}, 1e-5));
            }
        }
    }
    CHECK(norm.spec("state_std").shape == tenon::Shape{2});
    CHECK(refusal(kDenormalise, specs(), of_state) ==
          "there is no column 'state_mean': set statistics = true in the observation_norm of 'state'");
}

}  // namespace observations_test
