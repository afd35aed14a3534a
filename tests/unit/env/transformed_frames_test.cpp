// SPDX-License-Identifier: Apache-2.0
// Transforms over recorded frames: the bytes that acting with these transforms would have stored.
#include "experience/env/transformed_frames.hpp"

#include <cstring>

#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/env/fake_env.hpp"
#include "unit/env/fake_transform.hpp"

namespace transformed_frames_test {

namespace {

using namespace tenon;
using test::FakeTransform;
using Transforms = std::vector<Callee<tn_transform_api>>;

constexpr std::uint32_t kLanes = 5;
constexpr std::uint32_t kSteps = 40;

// Frames of the fake env in a ring with so many slots, over which the steps may have wrapped.
Storage acted(Transforms transforms, std::uint32_t slots = kSteps + 1) {
    Pool pool(2);
    test::FakeEnv env(kLanes);
    Result<Lanes> lanes = Lanes::make(env.callee(), std::move(transforms), kLanes, pool);
    REQUIRE(lanes);
    Storage storage = *Storage::make(storage_columns(lanes->specs()), slots, kLanes);
    REQUIRE(lanes->bind(storage));
    REQUIRE(lanes->reset(nullptr, lane_seeds(make_key(3, "env"), kLanes).data()));
    for (std::uint32_t t = 0; t < kSteps; ++t) {
        test::put_actions(storage, t);
        REQUIRE(lanes->step());
    }
    return storage;
}

Result<TransformedFrames> over(const Storage& frames, Transforms transforms) {
    Pool pool(2);
    return transformed_frames(frames, test::FakeEnv(kLanes).specs, std::move(transforms), 7, pool);
}

// The rows of a column at a step, with the final ones of episodes that end there; the newest step is 0.
std::string rows(const Storage& storage, const StorageColumn& column, std::uint32_t back) {
    const std::uint32_t slot = storage.slot_back(back);
    std::string out(static_cast<const char*>(row_at(column.view, slot, 0)), row_bytes(column) * kLanes);
    for (std::uint32_t lane = 0; lane < kLanes && column.final.data != nullptr; ++lane) {
        if (back > 0 && storage.flags().ended(slot, lane)) {
            out.append(static_cast<const char*>(row_at(column.final, slot, lane)), row_bytes(column));
        }
    }
    return out;
}

void check_equal(const Storage& a, const Storage& b) {
    REQUIRE(a.columns().size() == b.columns().size());
    REQUIRE(a.ring().live_slots() == b.ring().live_slots());
    for (const StorageColumn& column : a.columns()) {
        CAPTURE(column.key);
        REQUIRE(b.find(column.key) != nullptr);
        const bool is_outcome =
            tenon::is_outcome(column.role) || is_flag_column(column.key) || column.role == Role::kAction;
        for (std::uint32_t back = is_outcome && column.key != "is_init" ? 1 : 0; back < a.ring().live_slots(); ++back) {
            CAPTURE(back);
            CHECK(rows(a, column, back) == rows(b, *b.find(column.key), back));
        }
    }
}

}  // namespace

TEST_CASE("transforms over recorded frames store what acting with them stores") {
    FakeTransform twice(FakeTransform::kTwice, kLanes);
    FakeTransform widen(FakeTransform::kWiden, kLanes);
    const Storage with = acted({twice.callee(), widen.callee()});
    FakeTransform other_twice(FakeTransform::kTwice, kLanes);
    FakeTransform other_widen(FakeTransform::kWiden, kLanes);
    const Result<TransformedFrames> made = over(acted({}), {other_twice.callee(), other_widen.callee()});
    REQUIRE(made);
    CHECK(made->learnt.empty());
    CHECK(made->storage.find("observation")->row == Shape{3});
    check_equal(with, made->storage);
}

TEST_CASE("frames of a ring that has wrapped are transformed in their order") {
    FakeTransform twice(FakeTransform::kTwice, kLanes);
    FakeTransform other(FakeTransform::kTwice, kLanes);
    const Result<TransformedFrames> made = over(acted({}, 16), {other.callee()});
    REQUIRE(made);
    const Storage with = acted({twice.callee()}, 16);
    const Storage& out = made->storage;
    REQUIRE(out.ring().live_slots() == 16);
    for (std::uint32_t back = 1; back < 16; ++back) {
        CHECK(rows(with, *with.find("observation"), back) == rows(out, *out.find("observation"), back));
        CHECK(rows(with, *with.find("reward"), back) == rows(out, *out.find("reward"), back));
        CHECK(rows(with, *with.find("action"), back) == rows(out, *out.find("action"), back));
    }
}

TEST_CASE("a transform that changes actions or ends episodes is refused") {
    FakeTransform mirror(FakeTransform::kMirror, kLanes);
    const Result<TransformedFrames> inverts = over(acted({}), {mirror.callee()});
    REQUIRE_FALSE(inverts);
    CHECK(inverts.error().sentence ==
          "fake/mirror changes the policy's actions into those of the env, but recorded frames have the latter: which "
          "action of the policy gave them needs the policy's step");
    FakeTransform limit(FakeTransform::kLimit, kLanes);
    const Result<TransformedFrames> ends = over(acted({}), {limit.callee()});
    REQUIRE_FALSE(ends);
    CHECK(ends.error().sentence ==
          "a transform ends an episode of the recorded frames after step 2 of its lane, where it goes on");
}

TEST_CASE("lanes with different numbers of frames are refused") {
    Storage frames = acted({});
    Ring::Position position = frames.ring().position();
    position.count[2] = 7;
    REQUIRE(frames.stand_at(position));
    const Result<TransformedFrames> made = over(frames, {});
    REQUIRE_FALSE(made);
    CHECK(made.error().sentence == "transforms need as many frames of each lane, but lane 2 has 7 and another one 40");
}

}  // namespace transformed_frames_test
