// SPDX-License-Identifier: Apache-2.0
#include "tenon/transform.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "fixtures/transforms/reward_scale.hpp"
#include "support/catch.hpp"
#include "support/plugin_columns.hpp"
#include "support/plugin_instance.hpp"

using Catch::Matchers::ContainsSubstring;
using tenon::test::PluginColumns;
using tenon::test::PluginHost;
using tenon::test::PluginInstance;

namespace {

// Pixels to numbers, plus how many rows it has seen in the episode; with memory of its own on the outside.
struct Pixels {
    std::int64_t seen = 0;
    static constexpr std::string_view column = "observation";

    static tenon::Spec change(tenon::Spec spec) { return tenon::bounded(spec.key, spec.shape, 0, 100, TN_F32); }
    void begin() { seen = 0; }
    void apply(std::span<const std::uint8_t> in, std::span<float> out) {
        out[0] = static_cast<float>(in[0]) / 255 + static_cast<float>(seen++);
    }
};

struct Negate {
    static constexpr std::string_view column = "action";
    static void invert(std::span<const double> outer, std::span<double> inner) { inner[0] = -outer[0]; }
};

std::vector<tenon::Spec> specs_of_env() {
    std::vector<tenon::Spec> specs = {tenon::bounded("observation", {1}, 0, 255, TN_U8),
                                      tenon::bounded("action", {1}, -1, 1, TN_F64),
                                      tenon::bounded("reward", {}, -1, 1)};
    specs[0].role = TN_ROLE_OBSERVATION;
    specs[1].role = TN_ROLE_ACTION;
    specs[2].role = TN_ROLE_REWARD;
    return specs;
}

struct TransformRig {
    template <class Adapter, class T>
    explicit TransformRig(tenon::Component<Adapter, T> component, bool in_place = false)
        : instance(host, component, 2), inner(3, 2), own(3, 2), outer(in_place ? inner : own) {
        REQUIRE(instance.status() == TN_OK);
        api = instance.api<tn_transform_api>("tenon.transform/1");
        const tenon::SpecTable before(specs_of_env());
        tn_transform_info info{};
        info.struct_size = sizeof(info);
        REQUIRE(api->describe(instance.self(), before.data(), before.size(), &info) == TN_OK);
        for (std::uint32_t i = 0; i < info.spec_count; ++i) {
            after.push_back(tenon::read_spec(*info.specs[i]));
        }
        inner.add(before.data(), before.size());
        if (!in_place) {
            own.add(info.specs, info.spec_count);
        }
        const tn_transform_buffers buffers = {.struct_size = sizeof(tn_transform_buffers),
                                              .flags = 0,
                                              .slots = 3,
                                              .lanes = 2,
                                              .inner = inner.data(),
                                              .inner_count = inner.size(),
                                              .outer = outer.data(),
                                              .outer_count = outer.size()};
        REQUIRE(api->bind(instance.self(), &buffers) == TN_OK);
    }

    void run(std::int32_t event, std::uint32_t slot, std::uint32_t next_slot, const std::uint8_t* mask = nullptr) {
        const tn_transform_call call = {.struct_size = sizeof(tn_transform_call),
                                        .event = event,
                                        .slot = slot,
                                        .next_slot = next_slot,
                                        .first = 0,
                                        .count = 2,
                                        .mask = mask};
        REQUIRE((event == 0 ? api->invert : api->apply)(instance.self(), &call) == TN_OK);
    }

    PluginHost host;
    PluginInstance instance;
    PluginColumns inner;
    PluginColumns own;
    PluginColumns& outer;
    const tn_transform_api* api = nullptr;
    std::vector<tenon::Spec> after;
};

}  // namespace

TEST_CASE("rewards are scaled in place and their bounds with them") {
    TransformRig rig(tenon::transform<RewardScale>("reward_scale", "rewards times a constant"), true);
    CHECK(rig.api->invert == nullptr);
    REQUIRE(rig.after.size() == 3);
    CHECK(rig.after[2].high == std::vector{0.1});
    CHECK(rig.after[2].role == TN_ROLE_REWARD);
    CHECK(rig.after[0].dtype == TN_U8);
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        rig.inner.at<bool>("terminated", 0, lane) = lane == 1;
        rig.inner.at<bool>("truncated", 0, lane) = false;
        rig.inner.at<float>("reward", 0, lane) = 10;
    }
    rig.run(TN_TRANSFORM_RESET, 0, 0);
    CHECK(rig.inner.at<float>("reward", 0, 0) == 10);
    rig.run(TN_TRANSFORM_STEP, 0, 1);
    CHECK(rig.inner.at<float>("reward", 0, 0) == 1);
    CHECK(rig.inner.at<float>("reward", 0, 1) == 1);
    CHECK(rig.inner.canaries_intact());
}

TEST_CASE("observations go to memory of their own, the last ones of an episode too") {
    TransformRig rig(tenon::transform<Pixels>("pixels", "pixels to numbers"));
    CHECK(rig.after[0].dtype == TN_F32);
    rig.inner.at<std::uint8_t>("observation", 0, 0) = 255;
    rig.inner.at<std::uint8_t>("observation", 0, 1) = 0;
    rig.run(TN_TRANSFORM_RESET, 0, 0);
    CHECK(rig.outer.at<float>("observation", 0, 0) == 1);
    CHECK(rig.outer.at<float>("observation", 0, 1) == 0);

    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        rig.inner.at<bool>("terminated", 0, lane) = false;
        rig.inner.at<bool>("truncated", 0, lane) = lane == 1;
        rig.inner.at<std::uint8_t>("observation", 1, lane) = 0;
        rig.inner.at<std::uint8_t>("next.observation", 0, lane) = 255;
    }
    rig.outer.at<float>("observation", 1, 1) = -7;
    rig.run(TN_TRANSFORM_STEP, 0, 1);
    CHECK(rig.outer.at<float>("observation", 1, 0) == 1);       // 0 + the row it had seen
    CHECK(rig.outer.at<float>("next.observation", 0, 1) == 2);  // 1 + the row it had seen
    CHECK(rig.outer.at<float>("observation", 1, 1) == -7);      // comes with the reset
    const std::uint8_t mask[] = {0, 1};
    rig.run(TN_TRANSFORM_RESET, 0, 1, mask);
    CHECK(rig.outer.at<float>("observation", 1, 1) == 0);
    CHECK(rig.outer.at<float>("observation", 1, 0) == 1);
    CHECK(rig.outer.canaries_intact());
    CHECK(rig.inner.canaries_intact());
}

TEST_CASE("actions go the other way") {
    TransformRig rig(tenon::transform<Negate>("negate", "the other way round"));
    REQUIRE(rig.api->invert != nullptr);
    rig.outer.at<double>("action", 2, 1) = 0.5;
    rig.outer.at<double>("action", 2, 0) = -1;
    rig.run(0, 2, 0);
    CHECK(rig.inner.at<double>("action", 2, 1) == -0.5);
    CHECK(rig.inner.at<double>("action", 2, 0) == 1);
}

TEST_CASE("what belongs to a lane is saved with it") {
    TransformRig rig(tenon::transform<Pixels>("pixels", "pixels to numbers"));
    TransformRig other(tenon::transform<Pixels>("pixels", "pixels to numbers"));
    rig.inner.at<std::uint8_t>("observation", 0, 0) = 0;
    other.inner.at<std::uint8_t>("observation", 1, 0) = 0;
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        other.inner.at<bool>("terminated", 0, lane) = false;
        other.inner.at<bool>("truncated", 0, lane) = false;
    }
    rig.run(TN_TRANSFORM_RESET, 0, 0);
    tenon::test::StateBytes state;
    REQUIRE(state.save(rig.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(other.instance, 0, 1) == TN_OK);
    other.run(TN_TRANSFORM_STEP, 0, 1);
    CHECK(other.outer.at<float>("observation", 1, 0) == 1);
}

TEST_CASE("a transform refuses columns that it cannot work on") {
    const auto refused = [](auto component, std::vector<tenon::Spec> specs, const std::string& why) {
        PluginHost host;
        const PluginInstance instance(host, component, 1);
        const tenon::SpecTable table(std::move(specs));
        tn_transform_info info{};
        info.struct_size = sizeof(info);
        const auto* api = instance.api<tn_transform_api>("tenon.transform/1");
        CHECK(api->describe(instance.self(), table.data(), table.size(), &info) == TN_INVALID_ARGUMENT);
        CHECK_THAT(host.error, ContainsSubstring(why));
    };
    std::vector<tenon::Spec> specs = specs_of_env();
    specs.pop_back();
    refused(tenon::transform<RewardScale>("reward_scale", "scales"), specs, "no column 'reward'");
    specs = specs_of_env();
    specs[2].dtype = TN_F64;
    refused(tenon::transform<RewardScale>("reward_scale", "scales"), specs, "column 'reward' goes from float64");
    specs = specs_of_env();
    specs[0].role = TN_ROLE_ACTION;
    refused(tenon::transform<Pixels>("pixels", "pixels"), specs, "'observation' is an action");
    specs = specs_of_env();
    specs[1].role = TN_ROLE_OBSERVATION;
    refused(tenon::transform<Negate>("negate", "negates"), specs, "'action' is not an action");
}
