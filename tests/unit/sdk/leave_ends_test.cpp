// SPDX-License-Identifier: Apache-2.0
// Steps that leave the ends of episodes to the host, which draws them: the bytes are those of other steps.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "support/wrapper_rig.hpp"
#include "tenon/abi/render.h"
#include "tenon/env.hpp"
#include "tenon/wrapper.hpp"

namespace leave_ends_test {

using tenon::test::EnvRig;
using tenon::test::WrapperRig;

namespace {

constexpr std::uint32_t kLanes = 11;
constexpr std::uint32_t kSteps = 9;
constexpr int kLength = 3;

// Every form counts its steps, observes them beside a random start, and draws them.
struct Single {
    float start = 0;
    std::uint8_t count = 0;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {2})}, .actions = {tenon::categorical("action", 2)}};
    }
    static tenon::PictureSize picture() { return {.height = 1, .width = 1, .steps_per_second = 0}; }
    void draw(tenon::Picture& out) const { out.pixels()[0] = count; }
    void reset(tenon::Rng& rng, std::span<float> observation) {
        start = static_cast<float>(rng.uniform());
        count = 0;
        observe(observation);
    }
    tenon::StepResult step(std::int64_t action, std::span<float> observation) {
        ++count;
        observe(observation);
        return {.reward = start, .terminated = count == kLength, .truncated = action == 1};
    }
    void observe(std::span<float> observation) const {
        observation[0] = count;
        observation[1] = start;
    }
};

struct Packs {
    using State = std::array<tenon::Pack, 2>;

    static tenon::EnvSpec spec() { return Single::spec(); }
    static tenon::PictureSize picture() { return Single::picture(); }
    static void draw(std::span<const double, 2> state, tenon::Picture& out) {
        out.pixels()[0] = static_cast<std::uint8_t>(state[0]);
    }
    static void reset(tenon::Rng& rng, std::span<double, 2> state) {
        state[0] = 0;
        state[1] = rng.uniform();
    }
    static tenon::PackResult step(State& state, tenon::Pack action) {
        state[0] = state[0] + 1;
        return {.reward = state[1], .terminated = state[0] >= kLength, .truncated = action == 1};
    }
};

struct Batch {
    std::vector<std::uint8_t> count;

    void open(tenon::EnvBatch batch) { count.assign(batch.lanes, 0); }
    static tenon::EnvSpec spec() { return Single::spec(); }
    static tenon::PictureSize picture() { return Single::picture(); }
    void draw(std::uint32_t lane, tenon::Picture& out) const { out.pixels()[0] = count[lane]; }
    void reset(tenon::EnvRows rows) {
        rows.each([&](const tenon::BatchRow& row) {
            count[row.lane()] = 0;
            row.observation<float>()[0] = 0;
        });
    }
    void step(tenon::EnvRows rows) {
        rows.each([&](const tenon::BatchRow& row) {
            const std::uint32_t lane = row.lane();
            ++count[lane];
            row.result(count[lane], count[lane] == kLength, row.action<std::int64_t>()[0] == 1);
            row.observation<float>()[0] = count[lane];
            if (!row.ended()) {
                return;
            }
            row.final_observation<float>()[0] = count[lane];
            if (rows.leaves_ends()) {
                rows.leave_end(lane);
            } else {
                count[lane] = 0;
                row.observation<float>()[0] = 0;
            }
        });
    }
};

// One action for two steps of the inner env.
struct Twice {
    std::int64_t steps = 2;
};

constexpr auto kTwice = tenon::wrapper<Twice>("Twice", "two steps");

tenon::test::PluginInstance& instance_of(EnvRig& rig) {
    return rig.instance;
}
tenon::test::PluginInstance& instance_of(WrapperRig& rig) {
    return rig.wrapper;
}

template <class Rig>
void begin(Rig& rig) {
    std::vector<std::uint64_t> seeds(kLanes);
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        seeds[lane] = lane;
        for (std::uint32_t slot = 0; slot <= kSteps; ++slot) {
            rig.columns.template at<std::int64_t>("action", slot, lane) = (slot + lane) % 4 == 1 ? 1 : 0;
        }
    }
    REQUIRE(rig.api->reset(instance_of(rig).self(), 0, nullptr, seeds.data()) == TN_OK);
}

// Steps as a host does that draws the ends. How many lanes were drawn at the end of an episode.
template <class Rig>
int step_and_draw(Rig& rig, tenon::test::PluginInstance& drawn, std::uint32_t slot) {
    const tn_env_step call = {.struct_size = sizeof call,
                              .slot = slot,
                              .next_slot = slot + 1,
                              .first = 0,
                              .count = kLanes,
                              .flags = TN_STEP_LEAVE_ENDS};
    REQUIRE(rig.api->step(instance_of(rig).self(), &call) == TN_OK);
    const auto* const render = drawn.template api<tn_render_api>("tenon.render/1");
    const std::vector<std::uint8_t> mask = rig.needs_reset;
    int ends = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const bool is_over = rig.columns.template at<bool>("terminated", slot, lane) ||
                             rig.columns.template at<bool>("truncated", slot, lane);
        REQUIRE(is_over == (mask[lane] != 0));
        const auto& last = rig.columns.template at<float>("observation", slot + 1, lane);
        std::array<std::uint8_t, 3> pixel{};
        REQUIRE(render->draw(drawn.self(), lane, pixel.data()) == TN_OK);
        REQUIRE(pixel[0] == static_cast<std::uint8_t>(last));
        REQUIRE((!is_over || last == rig.columns.template at<float>("next.observation", slot, lane)));
        ends += is_over ? 1 : 0;
    }
    std::ranges::fill(rig.needs_reset, std::uint8_t{0});
    REQUIRE(rig.api->reset(instance_of(rig).self(), slot + 1, mask.data(), nullptr) == TN_OK);
    return ends;
}

template <class Component>
void leaves_ends(Component component) {
    EnvRig plain(component, kLanes, kSteps + 1);
    EnvRig leaving(component, kLanes, kSteps + 1);
    begin(plain);
    begin(leaving);
    int ends = 0;
    for (std::uint32_t slot = 0; slot < kSteps; ++slot) {
        REQUIRE(plain.step(slot, slot + 1) == TN_OK);
        CHECK(std::ranges::count(plain.needs_reset, std::uint8_t{0}) == kLanes);
        ends += step_and_draw(leaving, leaving.instance, slot);
        REQUIRE(plain.columns.bytes() == leaving.columns.bytes());
    }
    CHECK(ends > static_cast<int>(kLanes));
}

}  // namespace

TEST_CASE("an env leaves the ends of episodes to a host that draws them, and the bytes stay the same") {
    SECTION("single lanes") {
        leaves_ends(tenon::env<Single>("Single-v0", "counts"));
    }
    SECTION("packs") {
        leaves_ends(tenon::env<Packs>("Packs-v0", "counts"));
    }
    SECTION("batches") {
        leaves_ends(tenon::env<Batch>("Batch-v0", "counts"));
    }
}

TEST_CASE("a wrapper passes the wish for ends to the env inside") {
    const auto inner = tenon::env<Single>("Single-v0", "counts");
    WrapperRig plain(kTwice, inner, kLanes, kSteps + 1);
    WrapperRig leaving(kTwice, inner, kLanes, kSteps + 1);
    plain.bind();
    leaving.bind();
    begin(plain);
    begin(leaving);
    int ends = 0;
    for (std::uint32_t slot = 0; slot < kSteps; ++slot) {
        REQUIRE(plain.step(slot) == TN_OK);
        ends += step_and_draw(leaving, leaving.inner, slot);
        REQUIRE(plain.columns.bytes() == leaving.columns.bytes());
    }
    CHECK(ends > static_cast<int>(kLanes));
}

}  // namespace leave_ends_test
