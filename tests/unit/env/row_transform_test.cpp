// SPDX-License-Identifier: Apache-2.0
// A transform on rows of a minibatch: what it changes, and which transforms cannot do that.
#include "experience/env/row_transform.hpp"

#include <array>
#include <set>
#include <string>
#include <vector>

#include "base/data/spec_abi.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_specs.hpp"

namespace row_transform_test {

using namespace tenon;
using test::Bound;
using test::bound;
using test::spec;

namespace {

// Observations plus one, rewards twice.
struct Shift {
    enum Kind { kPlain, kAdds, kRemoves, kWidens, kRemembers, kSavesNothing, kLearns, kEnds, kDraws };
    Kind kind = kPlain;
    Composite outer;
    std::vector<tn_spec> raw;
    std::vector<const tn_spec*> pointers;
    Bound<float> observation;
    Bound<float> reward;
    Bound<std::uint8_t> truncated;
    std::vector<std::int32_t> events;
    std::vector<std::uint64_t> seeds;  // of the last reset

    Callee<tn_transform_api> callee() {
        static constexpr tn_transform_api kApi = {sizeof(tn_transform_api), 0, describe, bind, apply, nullptr};
        static constexpr tn_transform_api kDrawing = {
            sizeof(tn_transform_api), TN_TRANSFORM_DRAWS, describe, bind, apply, nullptr};
        static constexpr tn_state_api kState = {sizeof(tn_state_api), 0, save, nullptr};
        static constexpr tn_common_api kCommon = {
            sizeof(tn_common_api), 0, nullptr, nullptr, nullptr, nullptr, nullptr};
        return {.api = kind == kDraws ? &kDrawing : &kApi,
                .self = this,
                .name = "fake/shift",
                .place = {},
                .state = kind == kSavesNothing ? nullptr : &kState,
                .common = kind == kLearns ? &kCommon : nullptr};
    }

    static tn_status describe(void* self, const tn_spec* const* specs, std::uint32_t count, tn_transform_info* info) {
        Shift& s = *static_cast<Shift*>(self);
        s.outer = *read_specs(specs, count, "inner");
        if (s.kind == kAdds) {
            s.outer.specs.push_back(spec("more", Role::kObservation, DType::kF32, {}));
        } else if (s.kind == kRemoves) {
            s.outer.specs.pop_back();
        } else if (s.kind == kWidens) {
            s.outer.specs.front().shape = {9};
        }
        for (const Spec& each : s.outer.specs) {
            s.raw.push_back(to_abi(each));
        }
        for (const tn_spec& each : s.raw) {
            s.pointers.push_back(&each);
        }
        info->specs = s.pointers.data();
        info->spec_count = static_cast<std::uint32_t>(s.pointers.size());
        return TN_OK;
    }

    static tn_status bind(void* self, const tn_transform_buffers* b) {
        Shift& s = *static_cast<Shift*>(self);
        s.observation = bound<float>(b->inner, b->inner_count, "observation");
        s.reward = bound<float>(b->outer, b->outer_count, "reward");
        s.truncated = bound<std::uint8_t>(b->inner, b->inner_count, "truncated");
        return TN_OK;
    }

    static tn_status apply(void* self, const tn_transform_call* c) {
        Shift& s = *static_cast<Shift*>(self);
        s.events.push_back(c->event);
        if (c->seeds != nullptr) {
            s.seeds.assign(c->seeds, c->seeds + c->count);
        }
        for (std::uint32_t row = c->first; row < c->first + c->count; ++row) {
            if (c->event == TN_TRANSFORM_RESET && c->mask[row] == 0) {
                continue;
            }
            for (int i = 0; i < 2; ++i) {
                s.observation.at(c->next_slot, row)[i] += 1;
            }
            if (c->event == TN_TRANSFORM_STEP) {
                *s.reward.at(c->slot, row) *= 2;
                *s.truncated.at(c->slot, row) = s.kind == kEnds ? 1 : 0;
            }
        }
        return TN_OK;
    }

    static tn_status save(void* self, std::uint32_t, std::uint32_t, const tn_writer* writer) {
        const Kind kind = static_cast<Shift*>(self)->kind;
        const auto bytes = kind == kRemembers || kind == kDraws ? 8U : 0U;
        const double number = 0;
        return bytes == 0 ? TN_OK : writer->write(writer->ctx, &number, bytes);
    }
};

constexpr std::uint32_t kRows = 5;
constexpr tn_key kKey{1, 2};

Composite specs() {
    Composite out;
    out.specs = {spec("observation", Role::kObservation, DType::kF32, {2}),
                 spec("action", Role::kAction, DType::kI64, {}), spec("reward", Role::kReward, DType::kF32, {}),
                 spec("info", Role::kExtra, DType::kF32, {})};
    return out;
}

// What a transform of this kind is refused with.
std::string refusal(Shift::Kind kind, const std::vector<std::string>& keys = {"observation", "reward"}) {
    Shift shift;
    shift.kind = kind;
    const Result<RowTransform> made = RowTransform::make(shift.callee(), keys, specs(), 1);
    REQUIRE_FALSE(made);
    CHECK(made.error().help == "list it in [[env.transforms]]");
    return made.error().sentence;
}

struct Memory {
    std::array<float, 20> observations{};  // 2 of 5 rows here, then 2 of 5 rows after the step
    std::array<float, 5> rewards{};
    std::vector<RowMemory> of(bool here, bool after, bool rewarded) {
        return {{reinterpret_cast<std::byte*>(observations.data()), 10 * sizeof(float), here, after},
                {reinterpret_cast<std::byte*>(rewards.data()), 0, false, rewarded}};
    }
};

}  // namespace

TEST_CASE("rows are transformed as observations, and as steps that end nothing") {
    Shift shift;
    Result<RowTransform> made = RowTransform::make(shift.callee(), {"observation", "reward"}, specs(), kRows);
    REQUIRE(made);
    Memory memory;
    memory.rewards.fill(3);
    REQUIRE(made->bind(memory.of(true, true, true)));
    for (int times = 0; times < 2; ++times) {
        memory.observations.fill(4);
        memory.rewards.fill(3);
        REQUIRE(made->apply(3, kKey, 0));  // a smaller minibatch
        for (std::size_t i = 0; i < 10; ++i) {
            CHECK(memory.observations.at(i) == (i < 6 ? 5 : 4));
            CHECK(memory.observations.at(10 + i) == (i < 6 ? 5 : 4));
        }
        CHECK(memory.rewards == std::array<float, 5>{6, 6, 6, 3, 3});
    }
    CHECK(shift.events.size() == 4);
}

TEST_CASE("only the events of rows that are read take place, and others begin as zeros") {
    Shift shift;
    Result<RowTransform> made = RowTransform::make(shift.callee(), {"observation", "reward"}, specs(), kRows);
    REQUIRE(made);
    Memory memory;
    REQUIRE(made->bind(memory.of(true, false, false)));
    REQUIRE(made->apply(kRows, kKey, 0));
    CHECK(shift.events == std::vector<std::int32_t>{TN_TRANSFORM_RESET});
    REQUIRE(made->bind(memory.of(false, false, true)));
    for (int times = 0; times < 2; ++times) {
        memory.rewards.fill(1);
        REQUIRE(made->apply(kRows, kKey, 0));
        CHECK(memory.rewards[4] == 2);
        CHECK(memory.observations[19] == 1);
    }
}

TEST_CASE("a transform that draws gets a seed for each row, by the number of the minibatch") {
    Shift shift;
    shift.kind = Shift::kDraws;
    Result<RowTransform> made = RowTransform::make(shift.callee(), {"observation", "reward"}, specs(), kRows);
    REQUIRE(made);
    Memory memory;
    REQUIRE(made->bind(memory.of(false, true, false)));  // the reset takes place although nobody reads it
    const auto seeds = [&](tn_key key, std::uint64_t number) {
        REQUIRE(made->apply(kRows, key, number));
        return shift.seeds;
    };
    const std::vector<std::uint64_t> first = seeds(kKey, 0);
    CHECK(first.size() == kRows);
    CHECK(std::set(first.begin(), first.end()).size() == kRows);
    CHECK(seeds(kKey, 1) != first);
    CHECK(seeds({2, 2}, 0) != first);
    CHECK(seeds(kKey, 0) == first);
}

TEST_CASE("transforms that cannot work on rows are refused") {
    CHECK(refusal(Shift::kAdds) ==
          "fake/shift adds the column 'more', but the columns of sampled rows are those that are stored");
    CHECK(refusal(Shift::kRemoves) ==
          "fake/shift removes 'reward', but in sampled rows a column keeps its name, type and shape");
    CHECK(refusal(Shift::kWidens) ==
          "fake/shift makes float32 [9] of 'observation', which is float32 [2], but in sampled rows a column keeps its "
          "name, type and shape");
    for (const Shift::Kind kind : {Shift::kRemembers, Shift::kSavesNothing, Shift::kLearns}) {
        CHECK(refusal(kind) == "fake/shift keeps something from step to step, but sampled rows are from any steps");
    }
    for (const char* const key : {"action", "info"}) {
        CHECK(refusal(Shift::kPlain, {key}) ==
              "fake/shift changes '" + std::string(key) +
                  "', but sampled rows keep what is neither an observation nor a reward, such as the action that was "
                  "taken");
    }
}

TEST_CASE("a transform that ends an episode of rows fails, every time") {
    Shift shift;
    shift.kind = Shift::kEnds;
    Result<RowTransform> made = RowTransform::make(shift.callee(), {"observation", "reward"}, specs(), kRows);
    REQUIRE(made);
    Memory memory;
    REQUIRE(made->bind(memory.of(true, true, true)));
    for (int times = 0; times < 2; ++times) {
        const Status ended = made->apply(kRows, kKey, 0);
        REQUIRE_FALSE(ended);
        CHECK(ended.error().sentence == "fake/shift ends episodes, but sampled rows are steps that have been taken");
    }
}

}  // namespace row_transform_test
