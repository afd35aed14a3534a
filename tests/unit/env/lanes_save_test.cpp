// SPDX-License-Identifier: Apache-2.0
// A run that is saved and restored goes on as if nothing had happened.
#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"
#include "support/catch.hpp"
#include "unit/checkpoint/saved_frames.hpp"
#include "unit/data/memory_stream.hpp"
#include "unit/env/fake_env.hpp"
#include "unit/env/fake_transform.hpp"

namespace lanes_save_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;
using test::FakeTransform;

constexpr std::uint32_t kLanes = 6;

struct Saved {
    std::string frames;
    std::vector<std::byte> lanes;
    bool operator==(const Saved&) const = default;
};

struct Run {
    explicit Run(bool with_state = true)
        : env(kLanes), twice(FakeTransform::kTwice, kLanes), widen(FakeTransform::kWiden, kLanes), pool(1) {
        env.keeps_state = with_state;
        env.breaks_lane = 4;
        Result<Lanes> made = Lanes::make(env.callee(), {twice.callee(), widen.callee()}, kLanes, pool);
        REQUIRE(made);
        lanes = std::make_unique<Lanes>(*std::move(made));
        storage = std::make_unique<Storage>(*Storage::make(storage_columns(lanes->specs()), 12, kLanes));
        REQUIRE(lanes->bind(*storage));
    }
    void step() {
        test::put_actions(*storage, time++);
        REQUIRE(lanes->step());
    }
    Saved saved() const {
        test::MemoryStream stream;
        REQUIRE(lanes->save(stream.writer()));
        return {.frames = test::saved(*storage), .lanes = stream.data};
    }
    Status load(const Saved& saved) {
        test::MemoryStream stream;
        stream.data = saved.lanes;
        if (Status status = test::load(*storage, saved.frames); !status) {
            return status;
        }
        return lanes->load(stream.reader());
    }
    test::FakeEnv env;
    FakeTransform twice, widen;
    Pool pool;
    std::unique_ptr<Lanes> lanes;
    std::unique_ptr<Storage> storage;
    std::uint64_t time = 0;
};

TEST_CASE("restored lanes go on to the byte, parked ones stay parked") {
    const int steps = GENERATE(0, 1, 2, 3, 7, 25);
    CAPTURE(steps);
    Run first;
    REQUIRE(first.lanes->reset(nullptr, lane_seeds(make_key(3, "env"), kLanes).data()));
    for (int t = 0; t < steps; ++t) {
        first.step();
    }
    Run second;
    REQUIRE(second.load(first.saved()));
    second.time = first.time;
    CHECK(second.lanes->running() == first.lanes->running());
    second.env.stepped = first.env.stepped;
    for (int t = 0; t < 20; ++t) {
        first.step();
        second.step();
        REQUIRE(second.saved() == first.saved());
    }
    CHECK(first.lanes->running() == kLanes - 1);
    CHECK(second.lanes->take_warnings().size() == (steps < 3 ? 1 : 0));
}

TEST_CASE("who saves no state is named") {
    const Run all;
    CHECK(all.lanes->without_state() == std::vector<std::string>{"fake/twice"});
    const Run none(false);
    CHECK(none.lanes->without_state() == std::vector<std::string>{"fake/Env", "fake/twice"});
}

TEST_CASE("saved state of other components is refused") {
    Run first;
    REQUIRE(first.lanes->reset(nullptr, nullptr));
    Run second(false);
    CHECK_THAT(second.load(first.saved()).error().sentence, ContainsSubstring("fake/Env (which saves none)"));
}

TEST_CASE("state cut anywhere is refused") {
    Run first;
    REQUIRE(first.lanes->reset(nullptr, nullptr));
    test::MemoryStream whole;
    REQUIRE(first.lanes->save(whole.writer()));
    for (std::size_t n = 0; n < whole.data.size(); ++n) {
        CAPTURE(n);
        test::MemoryStream cut;
        cut.data.assign(whole.data.begin(), whole.data.begin() + static_cast<std::ptrdiff_t>(n));
        REQUIRE_FALSE(first.lanes->load(cut.reader()));
    }
}

TEST_CASE("a component that reads less than it saved is found out") {
    Run first;
    REQUIRE(first.lanes->reset(nullptr, nullptr));
    test::MemoryStream stream;
    REQUIRE(first.lanes->save(stream.writer()));
    // The env's blob is one byte longer than it says.
    std::uint64_t size = kLanes * sizeof(test::FakeLane);
    const auto* const pattern = reinterpret_cast<const std::byte*>(&size);
    const auto found = std::search(stream.data.begin(), stream.data.end(), pattern, pattern + sizeof size);
    REQUIRE(found != stream.data.end());
    const auto at = static_cast<std::size_t>(found - stream.data.begin());
    ++size;
    std::memcpy(stream.data.data() + at, &size, sizeof size);
    stream.data.insert(stream.data.begin() + static_cast<std::ptrdiff_t>(at + sizeof size), std::byte{0});
    const Status status = first.lanes->load(stream.reader());
    REQUIRE_FALSE(status);
    CHECK_THAT(status.error().sentence, ContainsSubstring("fake/Env"));
}

}  // namespace

}  // namespace lanes_save_test
