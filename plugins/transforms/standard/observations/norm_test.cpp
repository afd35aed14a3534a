// SPDX-License-Identifier: Apache-2.0
// observation_norm: its statistics do not depend on the split into ranges, can be frozen, and are saved.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "observations/observation_norm.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace norm_test {

using Catch::Matchers::WithinRel;
using tenon::test::CommonBytes;
using tenon::test::join_parts;
using tenon::test::part_of;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

constexpr auto kNorm = tenon::transform<ObservationNorm>("observation_norm", "normalises");

std::vector<tenon::Spec> specs() {
    return {with_role(TN_ROLE_OBSERVATION, tenon::unbounded("observation", {2})),
            with_role(TN_ROLE_ACTION, tenon::categorical("action", 2)),
            with_role(TN_ROLE_REWARD, tenon::unbounded("reward"))};
}

float value(std::uint32_t slot, std::uint32_t lane, std::size_t element) {
    const std::uint32_t mixed = (slot * 7 + lane * 13 + static_cast<std::uint32_t>(element) * 5) % 31;
    return static_cast<float>(mixed) * (element == 0 ? 1.0F : 100.0F);
}

// A step of all lanes, `cut` lanes per call.
void step(TransformRig& rig, std::uint32_t slot, std::uint32_t cut) {
    const std::uint32_t lanes = rig.inner.lanes();
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        rig.flags(slot, lane, false);
        for (std::size_t i = 0; i < 2; ++i) {
            rig.inner.at<float>("observation", slot + 1, lane, i) = value(slot, lane, i);
        }
    }
    for (std::uint32_t end = lanes; end > 0; end -= cut) {  // from last to first
        const tn_transform_call call = {.struct_size = sizeof(tn_transform_call),
                                        .event = TN_TRANSFORM_STEP,
                                        .slot = slot,
                                        .next_slot = slot + 1,
                                        .first = end - cut,
                                        .count = cut,
                                        .mask = nullptr,
                                        .seeds = nullptr};
        REQUIRE(rig.api->apply(rig.instance.self(), &call) == TN_OK);
    }
    rig.gather();
}

}  // namespace

TEST_CASE("the result is the same however the lanes are cut") {
    TransformRig whole(kNorm, specs(), 20, 12);
    TransformRig cut(kNorm, specs(), 20, 12);
    for (std::uint32_t slot = 0; slot + 1 < 20; ++slot) {
        step(whole, slot, 12);
        step(cut, slot, 3);
    }
    CHECK(whole.inner.bytes() == cut.inner.bytes());
}

TEST_CASE("mean and deviation are those of all rows seen before, results are clipped") {
    TransformRig rig(kNorm, specs(), 20, 3, [](auto& options) { options["clip"].real = 1.5; });
    CHECK(rig.spec("observation").kind == TN_SPEC_BOUNDED);
    CHECK(rig.spec("observation").high == std::vector{1.5});
    for (std::uint32_t slot = 0; slot + 1 < 20; ++slot) {
        step(rig, slot, 3);
    }
    int clipped = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        double sum = 0;
        double squares = 0;
        for (std::uint32_t slot = 0; slot < 18; ++slot) {
            for (std::uint32_t lane = 0; lane < 3; ++lane) {
                sum += value(slot, lane, i);
                squares += double{value(slot, lane, i)} * value(slot, lane, i);
            }
        }
        const double mean = sum / 54;
        const double deviation = std::sqrt(squares / 54 - mean * mean);
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            const double z = (value(18, lane, i) - mean) / deviation;
            clipped += std::abs(z) > 1.5 ? 1 : 0;
            CHECK_THAT(double{rig.out<float>("observation", 19, lane, i)}, WithinRel(std::clamp(z, -1.5, 1.5), 1e-5));
        }
    }
    CHECK(clipped > 0);
}

TEST_CASE("after freeze_after observations the statistics stay as they are") {
    const auto freeze = [](auto& options) { options["freeze_after"].integer = 9; };
    TransformRig rig(kNorm, specs(), 8, 3, freeze);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        step(rig, slot, 3);
    }
    tenon::test::CommonBytes frozen;
    REQUIRE(frozen.save(rig.common, rig.instance) == TN_OK);
    for (std::uint32_t slot = 3; slot < 7; ++slot) {
        step(rig, slot, 3);
    }
    tenon::test::CommonBytes later;
    REQUIRE(later.save(rig.common, rig.instance) == TN_OK);
    CHECK(later.bytes == frozen.bytes);
}

TEST_CASE("an instance with other lanes takes the statistics over, and without gather keeps them") {
    TransformRig training(kNorm, specs(), 8, 3);
    TransformRig evaluation(kNorm, specs(), 8, 1);
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
        step(training, slot, 3);
    }
    tenon::test::CommonBytes statistics;
    REQUIRE(statistics.save(training.common, training.instance) == TN_OK);
    REQUIRE(statistics.load(evaluation.common, evaluation.instance) == TN_OK);
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        evaluation.flags(slot, 0, false);
        evaluation.inner.at<float>("observation", slot + 1, 0, 0) = 20;
        evaluation.inner.at<float>("observation", slot + 1, 0, 1) = 700;
        evaluation.step(slot);
        CHECK(evaluation.out<float>("observation", slot + 1, 0, 0) == evaluation.out<float>("observation", 1, 0, 0));
    }
    tenon::test::CommonBytes after;
    REQUIRE(after.save(evaluation.common, evaluation.instance) == TN_OK);
    CHECK(after.bytes == statistics.bytes);

    std::vector<tenon::Spec> wider = specs();
    wider[0].shape = {3};
    const TransformRig other(kNorm, wider, 8, 1);
    CHECK(statistics.load(other.common, other.instance) == TN_DATA_LOSS);
}

TEST_CASE("several columns have statistics of their own") {
    const std::vector<tn_str> keys = {tenon::to_str("position"), tenon::to_str("observation")};
    const auto both = [&](auto& options) {
        options["columns"].texts = keys.data();
        options["columns"].count = keys.size();
    };
    std::vector<tenon::Spec> list = specs();
    list.push_back(with_role(TN_ROLE_OBSERVATION, tenon::unbounded("position", {3})));
    TransformRig rig(kNorm, list, 20, 4, both);
    TransformRig alone(kNorm, specs(), 20, 4);
    TransformRig position(kNorm, list, 20, 4,
                          [](auto& options) { options["column"].text = tenon::to_str("position"); });
    for (std::uint32_t slot = 0; slot + 1 < 20; ++slot) {
        for (std::uint32_t lane = 0; lane < 4; ++lane) {
            for (std::size_t i = 0; i < 3; ++i) {
                const float x = 3 * value(slot, lane, 0) + static_cast<float>(i);
                rig.inner.at<float>("position", slot + 1, lane, i) = x;
                position.inner.at<float>("position", slot + 1, lane, i) = x;
            }
        }
        step(rig, slot, 2);
        step(alone, slot, 2);
        step(position, slot, 2);
        for (std::uint32_t lane = 0; lane < 4; ++lane) {
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(rig.out<float>("position", slot + 1, lane, i) ==
                      position.out<float>("position", slot + 1, lane, i));
                if (i < 2) {
                    CHECK(rig.out<float>("observation", slot + 1, lane, i) ==
                          alone.out<float>("observation", slot + 1, lane, i));
                }
            }
        }
    }
    CHECK(tenon::test::refusal(kNorm, list, [&](auto& options) {
              both(options);
              options["column"].text = tenon::to_str("position");
          }) == "options 'column' and 'columns' are both set; list all keys in 'columns'");
}

TEST_CASE("with a decay, statistics that are saved go on as if they had never been") {
    const auto decay = [](auto& options) { options["decay"].real = 0.95; };
    TransformRig whole(kNorm, specs(), 20, 3, decay);
    TransformRig resumed(kNorm, specs(), 20, 3, decay);
    for (std::uint32_t slot = 0; slot < 10; ++slot) {
        step(whole, slot, 3);
    }
    tenon::test::CommonBytes statistics;
    REQUIRE(statistics.save(whole.common, whole.instance) == TN_OK);
    REQUIRE(statistics.load(resumed.common, resumed.instance) == TN_OK);
    for (std::uint32_t slot = 10; slot < 19; ++slot) {
        step(whole, slot, 3);
        step(resumed, slot, 3);
        CHECK((whole.row_bytes(slot + 1) == resumed.row_bytes(slot + 1)));
    }
}

TEST_CASE("observations of the warm-up are only clipped") {
    TransformRig rig(kNorm, specs(), 8, 3, [](auto& options) { options["warm_up"].integer = 6; });
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        step(rig, slot, 3);
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            CHECK((rig.out<float>("observation", slot + 1, lane, 0) == std::min(value(slot, lane, 0), 10.0F)) ==
                  (slot < 2));
        }
    }
}

TEST_CASE("the parts of four instances join to what one instance learns from the same lanes") {
    constexpr std::uint32_t kLanes = 4;
    TransformRig whole(kNorm, specs(), 20, kLanes);
    std::vector<std::unique_ptr<TransformRig>> shares;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        shares.push_back(std::make_unique<TransformRig>(kNorm, specs(), 20, 1));
        REQUIRE(join_parts(*shares.back(), {}) == TN_OK);
    }
    REQUIRE(join_parts(whole, {}) == TN_OK);
    const auto fill = [](TransformRig& rig, std::uint32_t slot, std::uint32_t lane, std::uint32_t number) {
        rig.flags(slot, lane, false);
        for (std::size_t i = 0; i < 2; ++i) {
            rig.inner.at<float>("observation", slot + 1, lane, i) = value(slot, number, i);
        }
    };
    for (std::uint32_t slot = 0; slot + 1 < 20; ++slot) {
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            fill(whole, slot, lane, lane);
            fill(*shares[lane], slot, 0, lane);
            shares[lane]->step(slot);
        }
        whole.step(slot);
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
            CHECK(shares[lane]->out<float>("observation", slot + 1, 0) ==
                  whole.out<float>("observation", slot + 1, lane));
        }
        if (slot % 5 != 4) {
            continue;
        }
        std::vector<std::vector<unsigned char>> parts;
        for (const auto& share : shares) {
            parts.push_back(part_of(*share));
        }
        CommonBytes learnt;
        REQUIRE(join_parts(whole, {part_of(whole)}) == TN_OK);
        REQUIRE(learnt.save(whole.common, whole.instance) == TN_OK);
        for (const auto& share : shares) {
            CommonBytes same;
            REQUIRE(join_parts(*share, parts) == TN_OK);
            REQUIRE(same.save(share->common, share->instance) == TN_OK);
            CHECK(same.bytes == learnt.bytes);
        }
    }
    CHECK(whole.out<float>("observation", 19, 0) != value(18, 0, 0));
}

TEST_CASE("what a lane has seen is saved with it where parts are joined, and a damaged part is refused") {
    TransformRig rig(kNorm, specs(), 8, 1);
    TransformRig resumed(kNorm, specs(), 8, 1);
    REQUIRE(join_parts(rig, {}) == TN_OK);
    REQUIRE(join_parts(resumed, {}) == TN_OK);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        rig.flags(slot, 0, false);
        rig.inner.at<float>("observation", slot + 1, 0, 0) = value(slot, 0, 0);
        rig.step(slot);
    }
    tenon::test::StateBytes lanes;
    REQUIRE(lanes.save(rig.instance, 0, 1) == TN_OK);
    REQUIRE(lanes.load(resumed.instance, 0, 1) == TN_OK);
    CHECK(part_of(resumed) == part_of(rig));
    std::vector<unsigned char> half = part_of(rig);
    half.resize(half.size() / 2);
    CHECK(join_parts(rig, {half}) == TN_DATA_LOSS);
}

}  // namespace norm_test
