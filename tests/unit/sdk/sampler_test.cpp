// SPDX-License-Identifier: Apache-2.0
#include "tenon/sampler.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace sampler_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::SamplerRig;

namespace {

// Every transition in its order, with a weight column of its own.
struct InOrder {
    static tenon::SamplerPlan plan() {
        return {.gathers = {{.source = "*"}, {.source = "next.observation", .target = "final"}},
                .columns = {{.key = "weight"}}};
    }
    static void sample(tenon::Rng&, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            rows.set(row, buffer.at(row % buffer.size()));
            rows.column<float>(0)[row] = static_cast<float>(row);
        }
    }
};

struct WrongColumn : InOrder {
    static void sample(tenon::Rng&, const tenon::Transitions&, const tenon::SampleRows& rows) {
        rows.column<double>(0)[0] = 1;
    }
};

struct Cursor : InOrder {
    std::uint64_t at = 0;
    void sample(tenon::Rng& /*rng*/, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            rows.set(row, buffer.at(at++ % buffer.size()));
        }
    }
};

struct Tree : Cursor {
    std::vector<double> nodes;
};

// Of every transition what the buffer says about its neighbours: its age, and the step before in its episode.
struct Backwards {
    static tenon::SamplerPlan plan() {
        return {.gathers = {{.source = "*"}}, .columns = {{.key = "age"}, {.key = "ended"}}, .arrays = 2};
    }
    static void sample(tenon::Rng&, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            const tenon::SlotLane at = buffer.at(row);
            rows.set(row, at);
            rows.set(row, buffer.came_from(at) ? buffer.before(at) : at, 1);
            rows.column<float>(0)[row] = static_cast<float>(buffer.age(at));
            rows.column<float>(1)[row] =
                static_cast<float>((buffer.terminated(at) ? 1 : 0) + (buffer.truncated(at) ? 2 : 0));
        }
    }
};

// Not plain bytes, but sample is const: there is nothing to save.
struct Named : InOrder {
    std::string name;
};

}  // namespace

TEST_CASE("a sampler's plan crosses the ABI") {
    const SamplerRig rig(tenon::sampler<InOrder>("in_order", "one after another"));
    const tn_sampler_info info = rig.plan();
    CHECK(info.array_count == 1);
    REQUIRE(info.gather_count == 2);
    CHECK(tenon::to_view(info.gathers[0]->source) == "*");
    CHECK(tenon::to_view(info.gathers[1]->target) == "final");
    REQUIRE(info.column_count == 1);
    CHECK(tenon::to_view(info.columns[0]->key) == "weight");
    CHECK(info.columns[0]->dtype == TN_F32);
}

TEST_CASE("a line of a plan that keeps its size has the flag") {
    struct Chunks : InOrder {
        static tenon::SamplerPlan plan() {
            return {.gathers = {{.source = "*"}, {.source = "action", .target = "chunk", .keep_size = true}}};
        }
    };
    const SamplerRig rig(tenon::sampler<Chunks>("chunks", "a chunk of one"));
    const tn_sampler_info info = rig.plan();
    CHECK(info.gathers[0]->flags == 0);
    CHECK(info.gathers[1]->flags == TN_GATHER_KEEP_SIZE);
    CHECK(info.gathers[1]->count == 1);
}

TEST_CASE("transitions are numbered lane by lane, oldest first, around the ring's end") {
    SamplerRig rig(tenon::sampler<InOrder>("in_order", "one after another"));
    std::vector<float> weights(6);
    REQUIRE(rig.sample({8, 0, 4, 9}, {3, 0, 2, 1}, 6, 0, &weights) == TN_OK);
    CHECK(rig.slots == std::vector<std::uint32_t>{8, 9, 0, 4, 5, 9});
    CHECK(rig.lanes == std::vector<std::uint32_t>{0, 0, 0, 2, 2, 3});
    CHECK(weights.back() == 5);
}

TEST_CASE("a transition's age, its predecessor and its end are those of its episode in the ring") {
    SamplerRig rig(tenon::sampler<Backwards>("backwards", "looks back"));
    rig.ring = 8;
    rig.arrays = 2;
    rig.terminated = {0, 0, 0, 0, 0, 0, 1, 0};
    rig.truncated = {0, 1, 0, 0, 0, 0, 0, 0};
    std::vector<float> ages(6);
    std::vector<float> ended(6);
    rig.columns = {ages.data(), ended.data()};
    REQUIRE(rig.sample({5}, {6}, 6) == TN_OK);
    CHECK(rig.slots == std::vector<std::uint32_t>{5, 6, 7, 0, 1, 2, 5, 5, 7, 7, 0, 2});
    CHECK(ages == std::vector<float>{0, 1, 2, 3, 4, 5});
    CHECK(ended == std::vector<float>{0, 1, 0, 0, 2, 0});
}

TEST_CASE("an empty buffer and a column of another type are refused") {
    SamplerRig rig(tenon::sampler<InOrder>("in_order", "one after another"));
    CHECK(rig.sample({0, 0}, {0, 0}, 1) == TN_FAILED_PRECONDITION);
    CHECK_THAT(rig.host.error, ContainsSubstring("no complete transition"));
    SamplerRig wrong(tenon::sampler<WrongColumn>("wrong", "asks for doubles"));
    std::vector<float> weights(1);
    CHECK(wrong.sample({0}, {1}, 1, 0, &weights) == TN_INVALID_ARGUMENT);
}

TEST_CASE("what a sampler keeps is saved, where it can be") {
    SamplerRig first(tenon::sampler<Cursor>("cursor", "goes on"));
    SamplerRig second(tenon::sampler<Cursor>("cursor", "goes on"));
    std::vector<float> weights(3);
    REQUIRE(first.sample({0}, {9}, 3, 0, &weights) == TN_OK);
    tenon::test::StateBytes state;
    REQUIRE(state.save(first.instance, 0, 0) == TN_OK);
    REQUIRE(state.load(second.instance, 0, 0) == TN_OK);
    REQUIRE(second.sample({0}, {9}, 3, 1, &weights) == TN_OK);
    CHECK(second.slots == std::vector<std::uint32_t>{3, 4, 5});

    const SamplerRig tree(tenon::sampler<Tree>("tree", "holds nodes"));
    CHECK(tree.instance.api<tn_state_api>("tenon.state/1") == nullptr);
    const SamplerRig named(tenon::sampler<Named>("named", "has a name"));
    REQUIRE(state.save(named.instance, 0, 0) == TN_OK);
    CHECK(state.bytes.empty());
}

}  // namespace sampler_test
