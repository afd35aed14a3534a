// SPDX-License-Identifier: Apache-2.0
#include "tenon/policy.hpp"

#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/policy_rig.hpp"

namespace policy_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::PolicyRig;

namespace {

struct Threshold {
    void act(const tenon::PolicyRow& row) const {
        row.action<std::int64_t>()[0] = row.observation<float>()[0] > 0 ? 1 : 0;
    }
};

struct Noisy {
    static void setup_columns(const tenon::PolicySpec& spec) {
        if (spec.actions[0].kind != TN_SPEC_CATEGORICAL) {
            throw tenon::InvalidArgument("column '" + spec.actions[0].key + "' is not categorical");
        }
    }
    static void act(tenon::Rng& rng, const tenon::PolicyRow& row) {
        row.action<std::int64_t>()[0] = row.wants_mode() ? 0 : static_cast<std::int64_t>(rng.below(1000000));
    }
};

struct Counting {
    struct Lane {
        std::int64_t steps = 100;
    };
    static void act(Lane& lane, const tenon::PolicyRow& row) { row.action<std::int64_t>()[0] = lane.steps++; }
};

struct CountingAndDrawing {
    struct Lane {
        std::vector<std::uint64_t> drawn;
    };
    static void act(Lane& lane, tenon::Rng& rng, const tenon::PolicyRow& row) {
        lane.drawn.push_back(rng.below(1000000));
        row.action<std::int64_t>()[0] = static_cast<std::int64_t>(lane.drawn.front());
    }
};

const std::vector<tenon::Spec> kDiscrete = {tenon::unbounded("observation", {1}),
                                            tenon::categorical("action", 1000000)};

}  // namespace

TEST_CASE("a policy reads observations and writes actions of its lanes only") {
    PolicyRig rig(tenon::policy<Threshold>("threshold", "its sign"), kDiscrete, 4, 2);
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        rig.columns.at<float>("observation", 1, lane) = lane % 2 == 0 ? 1.0F : -1.0F;
        rig.columns.at<std::int64_t>("action", 1, lane) = 99;
    }
    REQUIRE(rig.act(1, 1, 2) == TN_OK);
    CHECK(rig.columns.at<std::int64_t>("action", 1, 0) == 99);
    CHECK(rig.columns.at<std::int64_t>("action", 1, 1) == 0);
    CHECK(rig.columns.at<std::int64_t>("action", 1, 2) == 1);
    CHECK(rig.columns.at<std::int64_t>("action", 1, 3) == 99);
    CHECK(rig.columns.canaries_intact());
    CHECK(rig.act(2, 0, 1) == TN_FAILED_PRECONDITION);
    CHECK(rig.act(0, 3, 2) == TN_FAILED_PRECONDITION);
}

TEST_CASE("draws depend on key, counter and lane, not on the cut") {
    PolicyRig whole(tenon::policy<Noisy>("noisy", "draws"), kDiscrete, 5, 1);
    PolicyRig cut(tenon::policy<Noisy>("noisy", "draws"), kDiscrete, 5, 1);
    REQUIRE(whole.act(0, 0, 5, 7) == TN_OK);
    REQUIRE(cut.act(0, 3, 2, 7) == TN_OK);
    REQUIRE(cut.act(0, 0, 3, 7) == TN_OK);
    CHECK(whole.columns.bytes() == cut.columns.bytes());
    CHECK(whole.columns.at<std::int64_t>("action", 0, 0) != whole.columns.at<std::int64_t>("action", 0, 1));
    REQUIRE(cut.act(0, 0, 5, 8) == TN_OK);
    CHECK(whole.columns.at<std::int64_t>("action", 0, 0) != cut.columns.at<std::int64_t>("action", 0, 0));
    REQUIRE(cut.act(0, 0, 5, 8, TN_ACT_MODE) == TN_OK);
    CHECK(cut.columns.at<std::int64_t>("action", 0, 4) == 0);
}

TEST_CASE("a policy refuses columns it cannot act on by name") {
    tenon::test::PluginHost host;
    const tenon::test::PluginInstance instance(host, tenon::policy<Noisy>("noisy", "draws"));
    std::vector<tenon::Spec> specs = {tenon::bounded("steering", {1}, -1, 1)};
    specs[0].role = TN_ROLE_ACTION;
    const tenon::SpecTable table(specs);
    const auto* api = instance.api<tn_policy_api>("tenon.policy/1");
    CHECK(api->describe(instance.self(), table.data(), table.size()) == TN_INVALID_ARGUMENT);
    CHECK_THAT(host.error, ContainsSubstring("'steering'"));
}

TEST_CASE("what a policy keeps belongs to a lane and begins with the episode") {
    PolicyRig rig(tenon::policy<Counting>("counting", "its steps"), kDiscrete, 3, 2);
    const auto action = [&](std::uint32_t lane) { return rig.columns.at<std::int64_t>("action", 0, lane); };
    REQUIRE(rig.act(0, 0, 3) == TN_OK);
    REQUIRE(rig.act(0, 0, 2) == TN_OK);
    CHECK(action(1) == 101);
    CHECK(action(2) == 100);
    rig.columns.at<bool>("is_init", 0, 1) = true;
    REQUIRE(rig.act(0, 0, 3) == TN_OK);
    CHECK(action(0) == 102);
    CHECK(action(1) == 100);
    CHECK(action(2) == 101);
}

TEST_CASE("what a policy keeps is saved lane by lane, where it can be") {
    PolicyRig first(tenon::policy<Counting>("counting", "its steps"), kDiscrete, 3, 1);
    PolicyRig second(tenon::policy<Counting>("counting", "its steps"), kDiscrete, 3, 1);
    REQUIRE(first.act(0, 0, 3) == TN_OK);
    REQUIRE(first.act(0, 1, 2) == TN_OK);
    tenon::test::StateBytes state;
    REQUIRE(state.save(first.instance, 1, 2) == TN_OK);
    CHECK(state.bytes.size() == 2 * sizeof(std::int64_t));
    REQUIRE(state.load(second.instance, 1, 2) == TN_OK);
    REQUIRE(second.act(0, 0, 3) == TN_OK);
    CHECK(second.columns.at<std::int64_t>("action", 0, 0) == 100);
    CHECK(second.columns.at<std::int64_t>("action", 0, 2) == 102);
    CHECK(state.save(first.instance, 2, 2) == TN_INVALID_ARGUMENT);

    const PolicyRig drawing(tenon::policy<CountingAndDrawing>("drawing", "draws"), kDiscrete, 3, 1);
    CHECK(drawing.instance.api<tn_state_api>("tenon.state/1") == nullptr);
    const PolicyRig none(tenon::policy<Noisy>("noisy", "draws"), kDiscrete, 3, 1);
    REQUIRE(state.save(none.instance, 0, 3) == TN_OK);
    CHECK(state.bytes.empty());
}

}  // namespace policy_test
