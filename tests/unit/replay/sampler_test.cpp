// SPDX-License-Identifier: Apache-2.0
// Driving samplers, honest and lying ones.
#include "experience/replay/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "support/catch.hpp"
#include "world.hpp"

namespace sampler_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

tn_str text(std::string_view view) {
    return {view.data(), view.size()};
}

// A uniform sampler with a weight column, which on demand returns a pair of its owner's choosing.
struct FakeSampler {
    tn_gather all{sizeof(tn_gather), 0, text("*"), text(""), 0, 0};
    std::array<const tn_gather*, 1> gathers = {&all};
    tn_sampler_column weight{sizeof(tn_sampler_column), TN_F32, text("weight"), 0, 0};
    std::array<const tn_sampler_column*, 1> columns = {&weight};
    std::uint32_t arrays = 1;
    std::uint32_t time = 0;
    std::uint32_t asked = 0;  // rows of the last call
    bool lies = false;
    std::uint32_t lie_slot = 0;
    std::uint32_t lie_lane = 0;
    tn_status status = TN_OK;
    std::vector<double> options;  // of the last call
    std::vector<double> priorities;
    std::uint32_t burn_in = 0;
    std::vector<std::uint32_t> prioritised;  // slots

    static tn_status plan(void* self, tn_sampler_info* info) {
        auto& of = *static_cast<FakeSampler*>(self);
        info->array_count = of.arrays;
        info->gathers = of.gathers.data();
        info->gather_count = 1;
        info->columns = of.columns.data();
        info->column_count = 1;
        info->time = of.time;
        return TN_OK;
    }

    static tn_status sample(void* self, const tn_sample_call* call) {
        auto& of = *static_cast<FakeSampler*>(self);
        if (of.status != TN_OK || call->view->total == 0) {
            return of.status != TN_OK ? of.status : static_cast<tn_status>(TN_FAILED_PRECONDITION);
        }
        of.options.assign(call->options, call->options + call->option_count);
        of.asked = call->rows;
        const std::uint32_t rows = call->rows * std::max(of.time, 1U);
        for (std::uint32_t row = 0; row < rows; ++row) {
            const tn_random_block block = tn_philox(call->key, call->counter * 1000 + row);
            std::uint32_t lane = tn_below(block.word[0], call->view->lanes);
            while (call->view->count[lane] == 0) {
                lane = (lane + 1) % call->view->lanes;
            }
            const std::uint32_t age = tn_below(block.word[1], call->view->count[lane]);
            call->slots[0][row] = (call->view->first[lane] + age) % call->view->slots;
            call->lanes[0][row] = lane;
            static_cast<float*>(call->columns[0])[row] = static_cast<float>(row);
        }
        if (of.lies) {
            call->slots[0][rows - 1] = of.lie_slot;
            call->lanes[0][rows - 1] = of.lie_lane;
        }
        return TN_OK;
    }

    static tn_status prioritise(void* self, const tn_priority_call* call) {
        auto& of = *static_cast<FakeSampler*>(self);
        of.burn_in = call->burn_in;
        of.priorities.assign(call->priorities, call->priorities + call->rows);
        of.prioritised.assign(call->slots, call->slots + call->rows);
        return TN_OK;
    }

    // As of a plugin from before there were priorities.
    Callee<tn_sampler_api> old_callee() {
        static constexpr tn_sampler_api kApi = {offsetof(tn_sampler_api, prioritise), 0, plan, sample, prioritise};
        return {.api = &kApi, .self = this, .name = "replay/fake", .place = {}, .state = nullptr};
    }

    Callee<tn_sampler_api> callee() {
        static constexpr tn_sampler_api kApi = {sizeof(tn_sampler_api), 0, plan, sample, prioritise};
        return {.api = &kApi, .self = this, .name = "replay/fake", .place = {}, .state = nullptr};
    }
};

TEST_CASE("rows are those of the sampler, the same for the same key and counter") {
    test::World world(1, 6, 3, 2);
    for (int i = 0; i < 9; ++i) {
        world.step();
    }
    FakeSampler fake;
    Result<Sampler> sampler = Sampler::make(fake.callee(), 64);
    REQUIRE(sampler);
    REQUIRE(sampler->sample(world.storage, 64, {1, 2}, 7));
    const SampledRows rows = sampler->sampled();
    const std::vector<std::uint32_t> first(rows.slots[0], rows.slots[0] + 64);
    CHECK(static_cast<const float*>(rows.columns[0])[63] == 63.0F);
    REQUIRE(sampler->sample(world.storage, 64, {1, 2}, 8));
    CHECK(std::vector<std::uint32_t>(rows.slots[0], rows.slots[0] + 64) != first);
    REQUIRE(sampler->sample(world.storage, 64, {1, 2}, 7));
    CHECK(std::vector<std::uint32_t>(rows.slots[0], rows.slots[0] + 64) == first);
    CHECK_FALSE(sampler->sample(world.storage, 65, {1, 2}, 7));
}

TEST_CASE("an index that is no transition is the sampler's fault, by name") {
    test::World world(2, 6, 2, 2);
    for (int i = 0; i < 3; ++i) {
        world.step();
    }
    FakeSampler fake;
    fake.lies = true;
    Result<Sampler> sampler = Sampler::make(fake.callee(), 8);
    REQUIRE(sampler);
    struct Lie {
        std::uint32_t slot, lane;
    };
    const auto lie = GENERATE(Lie{6, 0}, Lie{0, 2}, Lie{3, 0}, Lie{5, 1}, Lie{~0U, ~0U});
    fake.lie_slot = lie.slot;
    fake.lie_lane = lie.lane;
    CAPTURE(lie.slot, lie.lane);
    const Status status = sampler->sample(world.storage, 8, {1, 2}, 0);
    REQUIRE_FALSE(status);
    CHECK(status.error().fault == Fault::kPlugin);
    CHECK_THAT(status.error().sentence, ContainsSubstring("replay/fake") && ContainsSubstring("row 7"));
    fake.lie_slot = 2;
    fake.lie_lane = 1;
    CHECK(sampler->sample(world.storage, 8, {1, 2}, 0));
}

TEST_CASE("batches of two plans are alike if they have the same columns of the same steps") {
    const SamplerPlan plan{.sampler = "replay/one",
                           .array_count = 3,
                           .time = 4,
                           .lines = {{.array = 0, .source = "*", .target = "*"},
                                     {.array = 1, .source = "observation", .target = "goal", .count = 2}},
                           .columns = {{.key = "weight", .dtype = DType::kF32, .row = {}}}};
    CHECK(alike(plan, plan));
    SamplerPlan other = plan;
    other.sampler = "replay/other";
    other.array_count = 5;  // who chooses the rows, and in which arrays it names them, is not seen
    other.lines[1].array = 3;
    CHECK(alike(plan, other));
    const auto changed = [&](auto change) {
        SamplerPlan out = plan;
        change(out);
        return out;
    };
    for (const SamplerPlan& unlike :
         {changed([](SamplerPlan& of) { of.time = 5; }), changed([](SamplerPlan& of) { of.lines.pop_back(); }),
          changed([](SamplerPlan& of) { of.lines[1].source = "action"; }),
          changed([](SamplerPlan& of) { of.lines[1].target = "action"; }),
          changed([](SamplerPlan& of) { of.lines[1].count = 3; }), changed([](SamplerPlan& of) { of.columns.clear(); }),
          changed([](SamplerPlan& of) { of.columns[0].key = "priority"; }),
          changed([](SamplerPlan& of) { of.columns[0].dtype = DType::kF64; }),
          changed([](SamplerPlan& of) { of.columns[0].row = Shape{2}; })}) {
        CHECK_FALSE(alike(plan, unlike));
    }
}

TEST_CASE("priorities go back with the rows that they are of, options come as they are now") {
    test::World world(3, 6, 2, 2);
    for (int i = 0; i < 4; ++i) {
        world.step();
    }
    FakeSampler fake;
    Result<Sampler> sampler = Sampler::make(fake.callee(), 8);
    REQUIRE(sampler);
    REQUIRE(sampler->takes_priorities());
    const std::vector<double> options = {0.5, 3};
    REQUIRE(sampler->sample(world.storage, 4, {1, 2}, 0, options));
    CHECK(fake.options == options);
    const std::vector<double> priorities = {0, 1, 2.5, 3};
    REQUIRE(sampler->prioritise(priorities, "dqn/dqn", {}));
    CHECK(fake.priorities == priorities);
    const SampledRows rows = sampler->sampled();
    CHECK(fake.prioritised == std::vector<std::uint32_t>(rows.slots[0], rows.slots[0] + 4));
    const Place line{.file = "m.toml", .line = 3, .column = 1, .excerpt = {}};
    for (const double wrong : {-1.0, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
        const Status status = sampler->prioritise(std::array{1.0, wrong}, "dqn/dqn", line);
        REQUIRE_FALSE(status);
        CHECK(status.error().fault == Fault::kPlugin);
        CHECK(status.error().place.line == 3);
        CHECK_THAT(status.error().sentence,
                   ContainsSubstring("dqn/dqn gives replay/fake the priority") && ContainsSubstring("row 1"));
    }
    CHECK(fake.priorities == priorities);
    CHECK_FALSE(Sampler::make(fake.old_callee(), 8)->takes_priorities());
}

TEST_CASE("of sequences every step is checked and has a priority") {
    test::World world(2, 6, 2, 2);
    for (int i = 0; i < 3; ++i) {
        world.step();
    }
    FakeSampler fake;
    fake.time = 4;
    Result<Sampler> sampler = Sampler::make(fake.callee(), 24);
    REQUIRE(sampler);
    CHECK(sampler->plan().time == 4);
    REQUIRE(sampler->sample(world.storage, 24, {1, 2}, 0));
    CHECK(fake.asked == 6);
    REQUIRE(sampler->prioritise(std::vector<double>(24, 1.0), "dqn/dqn", {}));
    CHECK(fake.prioritised.size() == 24);
    CHECK(fake.burn_in == 0);
    REQUIRE(sampler->prioritise(std::vector<double>(24, 1.0), "dqn/dqn", {}, 3));
    CHECK(fake.burn_in == 3);
    fake.lies = true;
    fake.lie_slot = 5;
    const Status status = sampler->sample(world.storage, 24, {1, 2}, 1);
    REQUIRE_FALSE(status);
    CHECK_THAT(status.error().sentence, ContainsSubstring("row 23"));
}

TEST_CASE("a failing call is a problem with the sampler's name") {
    const Storage empty = *Storage::make(test::World::columns(2), 4, 2);
    FakeSampler fake;
    Result<Sampler> sampler = Sampler::make(fake.callee(), 8);
    REQUIRE(sampler);
    const Status status = sampler->sample(empty, 8, {1, 2}, 0);
    REQUIRE_FALSE(status);
    CHECK_THAT(status.error().sentence, ContainsSubstring("replay/fake"));
}

TEST_CASE("a plan that makes no sense is refused") {
    FakeSampler fake;
    const auto refusal = [&] {
        const Result<Sampler> sampler = Sampler::make(fake.callee(), 8);
        REQUIRE_FALSE(sampler);
        CHECK(sampler.error().fault == Fault::kPlugin);
        CHECK_THAT(sampler.error().sentence, ContainsSubstring("replay/fake"));
        return sampler.error().sentence;
    };
    fake.arrays = 0;
    CHECK_THAT(refusal(), ContainsSubstring("0 index arrays"));
    fake.arrays = 1;
    fake.all.array = 1;
    CHECK_THAT(refusal(), ContainsSubstring("reads index array 1 of 1"));
    fake.all.array = 0;
    fake.all.target = text("x");
    CHECK_THAT(refusal(), ContainsSubstring("gives '*' the name 'x'"));
    fake.all = {sizeof(tn_gather), 0, text("observation"), text(""), 2, 0};
    CHECK_THAT(refusal(), ContainsSubstring("reads index array 1 of 1"));
    fake.arrays = 2;
    fake.all = {sizeof(tn_gather), 0, text("next.*"), text(""), 2, 0};
    CHECK_THAT(refusal(), ContainsSubstring("gathers 'next.*' at several index arrays"));
    fake.all = {sizeof(tn_gather), 0, text("next.*"), text(""), 1, TN_GATHER_KEEP_SIZE};
    CHECK_THAT(refusal(), ContainsSubstring("keeps the size of 'next.*', which only a line of one column can"));
    fake.all = {sizeof(tn_gather), 0, text("observation"), text(""), 1, 6};
    CHECK_THAT(refusal(), ContainsSubstring("line 0 has the flags 6, some of which this host does not know"));
    fake.all = {sizeof(tn_gather), 0, text("next.*"), text(""), 2, 6};
    fake.all.struct_size = offsetof(tn_gather, count);  // of a plugin from before there was a count
    CHECK(Sampler::make(fake.callee(), 8)->plan().lines.front().count == 1);
    fake.arrays = 1;
    fake.all = {sizeof(tn_gather), 0, text("weight"), text(""), 0, 0};
    CHECK_THAT(refusal(), ContainsSubstring("'weight' twice"));
    fake.all.source = text("a b");
    CHECK_THAT(refusal(), ContainsSubstring("source 'a b'"));
    fake.all.source = text("observation");
    fake.weight.dtype = TN_REAL;
    CHECK_THAT(refusal(), ContainsSubstring("element type 16"));
    fake.weight = {sizeof(tn_sampler_column), TN_BOOL, text("weight"), 5000, 0};
    CHECK_THAT(refusal(), ContainsSubstring("a column 'weight' of 5000 elements per row; it may have at most 4096"));
    fake.weight.size = 3;
    CHECK(Sampler::make(fake.callee(), 8)->plan().columns.front().row == Shape{3});
    fake.weight.struct_size = offsetof(tn_sampler_column, size);  // of a plugin from before there was a size
    CHECK(Sampler::make(fake.callee(), 8)->plan().columns.front().row == Shape{});
    fake.gathers = {nullptr};
    CHECK_THAT(refusal(), ContainsSubstring("null pointer"));
}

}  // namespace

}  // namespace sampler_test
