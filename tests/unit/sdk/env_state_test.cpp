// SPDX-License-Identifier: Apache-2.0
// Saving and loading of envs: plain members, an author's own state function, and envs that cannot be saved.
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "tenon/env.hpp"

namespace env_state_test {

using tenon::test::EnvRig;
using tenon::test::StateBytes;

namespace {

struct Base {
    static constexpr std::int64_t max_episode_steps = 5;
    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation")}, .actions = {tenon::categorical("action", 2)}};
    }
};

// Padding between its members, on purpose.
struct Plain : Base {
    std::int8_t parity = 0;
    double sum = 0;

    void reset(tenon::Rng& rng, std::span<float, 1> observation) {
        sum = rng.uniform();
        observation[0] = static_cast<float>(sum);
    }
    tenon::StepResult step(std::int64_t action, tenon::Rng& rng, std::span<float, 1> observation) {
        parity = static_cast<std::int8_t>(1 - parity);
        sum += rng.normal() * static_cast<double>(action + parity);
        observation[0] = static_cast<float>(sum);
        return {.reward = sum};
    }
};

struct Diary : Plain {
    std::vector<double> history;
    std::string last;
    std::vector<std::string> words;

    void state(tenon::Archive& archive) { archive(parity, sum, history, last, words); }

    tenon::StepResult step(std::int64_t action, tenon::Rng& rng, std::span<float, 1> observation) {
        const tenon::StepResult result = Plain::step(action, rng, observation);
        history.push_back(sum);
        last = std::to_string(history.size());
        words.push_back(last);
        return {.reward = result.reward + static_cast<double>(last.size() + words.size()) + history.front()};
    }
};

struct Unsaved : Plain {
    std::vector<double> history;
};

template <class Component>
void check_resume(Component component) {
    constexpr std::uint32_t kSlots = 40;
    const auto run = [](EnvRig& rig, std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t slot = from; slot < to; ++slot) {
            for (std::uint32_t lane = 0; lane < 3; ++lane) {
                rig.columns.template at<std::int64_t>("action", slot, lane) = (slot + lane) % 2;
            }
            REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        }
    };
    EnvRig whole(component, 3, kSlots);
    whole.reset({1, 2, 3});
    run(whole, 0, 13);
    StateBytes one;
    StateBytes two;
    REQUIRE(one.save(whole.instance, 0, 3) == TN_OK);
    REQUIRE(two.save(whole.instance, 0, 3) == TN_OK);
    CHECK(one.bytes == two.bytes);
    CHECK(!one.bytes.empty());
    run(whole, 13, kSlots - 1);

    EnvRig resumed(component, 3, kSlots, {}, {77, 78});
    REQUIRE(one.load(resumed.instance, 0, 3) == TN_OK);
    run(resumed, 13, kSlots - 1);
    for (std::uint32_t slot = 13; slot + 1 < kSlots; ++slot) {
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            REQUIRE(resumed.columns.template at<float>("reward", slot, lane) ==
                    whole.columns.template at<float>("reward", slot, lane));
            REQUIRE(resumed.columns.template at<bool>("truncated", slot, lane) ==
                    whole.columns.template at<bool>("truncated", slot, lane));
        }
    }
    REQUIRE(two.save(whole.instance, 0, 3) == TN_OK);
    REQUIRE(one.save(resumed.instance, 0, 3) == TN_OK);
    CHECK(one.bytes == two.bytes);
}

}  // namespace

TEST_CASE("a resumed env equals one that never stopped") {
    check_resume(tenon::env<Plain>("Plain-v0", "plain members"));
    check_resume(tenon::env<Diary>("Diary-v0", "vectors and strings"));
}

TEST_CASE("state moves between lane ranges") {
    EnvRig rig(tenon::env<Plain>("Plain-v0", "plain members"), 4, 3);
    rig.reset({1, 2, 3, 4});
    StateBytes middle;
    REQUIRE(middle.save(rig.instance, 1, 2) == TN_OK);
    EnvRig other(tenon::env<Plain>("Plain-v0", "plain members"), 2, 3);
    REQUIRE(middle.load(other.instance, 0, 2) == TN_OK);
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        rig.columns.at<std::int64_t>("action", 0, lane) = 1;
        other.columns.at<std::int64_t>("action", 0, lane % 2) = 1;
    }
    REQUIRE(rig.step(0, 1) == TN_OK);
    REQUIRE(other.step(0, 1) == TN_OK);
    CHECK(other.columns.at<float>("reward", 0, 1) == rig.columns.at<float>("reward", 0, 2));
    CHECK(middle.save(rig.instance, 3, 2) == TN_INVALID_ARGUMENT);
}

TEST_CASE("damaged state is refused, at every length") {
    EnvRig rig(tenon::env<Diary>("Diary-v0", "vectors and strings"), 1, 4);
    rig.reset({1});
    rig.columns.at<std::int64_t>("action", 0, 0) = 1;
    REQUIRE(rig.step(0, 1) == TN_OK);
    StateBytes whole;
    REQUIRE(whole.save(rig.instance, 0, 1) == TN_OK);
    for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
        EnvRig other(tenon::env<Diary>("Diary-v0", "vectors and strings"), 1, 4);
        StateBytes cut;
        cut.bytes.assign(whole.bytes.begin(), whole.bytes.begin() + static_cast<std::ptrdiff_t>(size));
        REQUIRE(cut.load(other.instance, 0, 1) == TN_DATA_LOSS);
    }
    StateBytes garbage;
    garbage.bytes.assign(whole.bytes.size() + 64, 0xFF);
    CHECK(garbage.load(rig.instance, 0, 1) == TN_DATA_LOSS);
}

TEST_CASE("an env that cannot be saved does not say that it can") {
    tenon::test::PluginHost host;
    const tenon::test::PluginInstance instance(host, tenon::env<Unsaved>("Unsaved-v0", "a vector, no state function"),
                                               1);
    CHECK(instance.api<tn_state_api>("tenon.state/1") == nullptr);
    CHECK(instance.api<tn_env_api>("tenon.env/1") != nullptr);
}

}  // namespace env_state_test
