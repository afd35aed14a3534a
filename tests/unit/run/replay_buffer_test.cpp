// SPDX-License-Identifier: Apache-2.0
// A buffer of a program's own: steps go in, minibatches that a plugin chooses come out.
#include "run/sessions/replay_buffer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace replay_buffer_test {

namespace {

using namespace tenon;
using Catch::Matchers::ContainsSubstring;

std::unique_ptr<ReplayBuffer> make(const ReplayBufferRequest& request) {
    Problems problems;
    std::unique_ptr<ReplayBuffer> out = ReplayBuffer::make(request, problems);
    for (const Problem& problem : problems) {
        FAIL(render(problem));
    }
    return out;
}

std::string refusal(const ReplayBufferRequest& request) {
    Problems problems;
    CHECK(ReplayBuffer::make(request, problems) == nullptr);
    REQUIRE_FALSE(problems.empty());
    return problems.front().sentence;
}

// The next steps of lanes that count: the observation is lane * 1000 + t and leads to its successor; the reward is that
// of the step.
Batch counting(std::int64_t lanes, std::int64_t first, std::int64_t count) {
    Batch out({lanes, count});
    auto* const now = out.add("observation", DType::kF32, {})->as<float>();
    auto* const next = out.add("next.observation", DType::kF32, {})->as<float>();
    auto* const action = out.add("action", DType::kI64, {})->as<std::int64_t>();
    auto* const reward = out.add("next.reward", DType::kF32, {})->as<float>();
    auto* const ends = out.add("next.terminated", DType::kBool, {})->as<std::uint8_t>();
    REQUIRE(out.add("next.truncated", DType::kBool, {}));
    for (std::int64_t i = 0; i < lanes * count; ++i) {
        const std::int64_t step = i / count * 1000 + first + i % count;
        now[i] = static_cast<float>(step);
        next[i] = static_cast<float>(step + 1);
        action[i] = -step;
        reward[i] = static_cast<float>(step) / 2;
        ends[i] = step % 10 == 9 ? 1 : 0;
    }
    return out;
}

std::vector<float> floats(const Batch& batch, std::string_view key) {
    const Result<Batch> copy = batch.clone();
    const View& view = *copy->find(key);
    return {view.as<float>(), view.as<float>() + view.shape.elements()};
}

void check_rows(const Batch& rows) {
    const std::vector<float> now = floats(rows, "observation");
    const std::vector<float> next = floats(rows, "next.observation");
    const std::vector<float> reward = floats(rows, "next.reward");
    for (std::size_t i = 0; i < now.size(); ++i) {
        REQUIRE(next[i] == now[i] + 1);
        REQUIRE(reward[i] == now[i] / 2);
        REQUIRE(rows.find("action")->as<std::int64_t>()[i] == -static_cast<std::int64_t>(now[i]));
        REQUIRE(rows.find("next.done")->as<std::uint8_t>()[i] == (std::lround(now[i]) % 10 == 9 ? 1 : 0));
    }
}

TEST_CASE("samples of any size are rows that were put in, each about as often") {
    const auto buffer = make({.sampler = "replay/uniform", .capacity = 60});
    CHECK(buffer->size() == 0);
    CHECK_THAT(buffer->sample(4).error().sentence, ContainsSubstring("the buffer is empty"));
    REQUIRE(buffer->extend(counting(2, 0, 50)));
    CHECK(buffer->size() == 60);  // the newest 30 of each lane
    CHECK(buffer->steps() == 30);
    CHECK(buffer->lanes() == 2);
    CHECK(buffer->capacity() == 60);
    std::map<float, int> drawn;
    for (const std::int64_t rows : {1, 7, 300, 2, 1000, 1690}) {
        const Result<Batch> sample = buffer->sample(rows);
        REQUIRE(sample);
        CHECK(sample->leading() == Shape{rows});
        check_rows(*sample);
        for (const float step : floats(*sample, "observation")) {
            ++drawn[step];
            CHECK(std::lround(step) % 1000 >= 20);
        }
    }
    CHECK(drawn.size() == 60);
    double chi_square = 0;
    for (const auto& [step, times] : drawn) {
        chi_square += (times - 50.0) * (times - 50.0) / 50.0;
    }
    CHECK(chi_square < 98.3);  // 59 degrees of freedom: 0.1 % are above
    CHECK_THAT(buffer->sample(0).error().sentence, ContainsSubstring("cannot have 0 rows"));
}

TEST_CASE("transitions are read in their order, as they were put in") {
    const auto buffer = make({.sampler = "replay/uniform", .capacity = 60});
    REQUIRE(buffer->extend(counting(2, 0, 17)));
    REQUIRE(buffer->extend(counting(2, 17, 28)));
    std::vector<float> seen;
    for (std::int64_t at = 0; at < buffer->steps(); at += 10) {
        const Result<Batch> part = buffer->in_order(at, 10);
        REQUIRE(part);
        CHECK(part->leading() == Shape{2, 10});
        const std::vector<float> lane = floats(part->index(0, 1), "observation");
        seen.insert(seen.end(), lane.begin(), lane.end());
    }
    REQUIRE(seen.size() == 30);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        CHECK(seen[i] == 1015 + static_cast<float>(i));
    }
    CHECK_THAT(buffer->in_order(25, 6).error().sentence, ContainsSubstring("no steps 25 to 31 in a buffer with 30"));
    CHECK_FALSE(buffer->in_order(-1, 2));
    CHECK_FALSE(buffer->in_order(0, 0));
}

TEST_CASE("priorities go back, and decide what is drawn") {
    const auto buffer = make({.sampler = "replay/prioritised", .options = {"alpha=1.0", "beta=1.0"}, .capacity = 40});
    REQUIRE(buffer->takes_priorities());
    REQUIRE(buffer->extend(counting(1, 0, 40)));
    const std::vector<double> one = {1};
    CHECK_THAT(buffer->prioritise(one).error().sentence, ContainsSubstring("1 priority for the 0 rows"));
    for (int round = 0; round < 30; ++round) {
        const Result<Batch> sample = buffer->sample(64);
        REQUIRE(sample);
        std::vector<double> priorities;
        for (const float step : floats(*sample, "observation")) {
            priorities.push_back(step == 30 ? 100 : 0.001);
        }
        REQUIRE(buffer->prioritise(priorities));
    }
    const Result<Batch> sample = buffer->sample(64);
    REQUIRE(sample);
    const std::vector<float> steps = floats(*sample, "observation");
    CHECK(std::ranges::count(steps, 30.0F) > 60);
    CHECK(sample->find("weight") != nullptr);
    REQUIRE(buffer->set_option("beta", 0.0));
    for (const float weight : floats(*buffer->sample(64), "weight")) {
        CHECK(weight == 1);
    }
    CHECK_THAT(buffer->set_option("beta", -1).error().sentence, ContainsSubstring("'beta'"));
    CHECK_THAT(buffer->set_option("betta", 1).error().sentence, ContainsSubstring("did you mean 'beta'?"));
    CHECK_FALSE(make({.sampler = "replay/uniform"})->prioritise(one));
}

TEST_CASE("sequences are [time, row], and their number must be whole") {
    const auto buffer = make({.sampler = "replay/slices", .options = {"length=5"}, .capacity = 100});
    REQUIRE(buffer->extend(counting(2, 0, 50)));
    const Result<Batch> sample = buffer->sample(20);
    REQUIRE(sample);
    CHECK(sample->leading() == Shape{5, 4});
    check_rows(*sample);
    CHECK_THAT(buffer->sample(21).error().sentence, ContainsSubstring("sequences of 5 steps"));
}

TEST_CASE("a saved buffer goes on as it would have, to the bit") {
    const test::ScratchFolder folder;
    const ReplayBufferRequest request{.sampler = "replay/prioritised", .capacity = 50, .seed = 3};
    const auto buffer = make(request);
    CHECK_THAT(buffer->save(folder.path() / "saved").error().sentence, ContainsSubstring("the buffer is empty"));
    const auto go_on = [](ReplayBuffer& of, std::int64_t first) {
        std::vector<float> drawn;
        REQUIRE(of.extend(counting(2, first, 9)));
        for (int i = 0; i < 3; ++i) {
            const Result<Batch> sample = of.sample(16);
            REQUIRE(sample);
            const std::vector<float> steps = floats(*sample, "observation");
            drawn.insert(drawn.end(), steps.begin(), steps.end());
            REQUIRE(of.prioritise(std::vector<double>(steps.begin(), steps.end())));
        }
        return drawn;
    };
    for (std::int64_t first = 0; first < 45; first += 9) {
        go_on(*buffer, first);
    }
    REQUIRE(buffer->save(folder.path() / "saved"));
    const auto other = make({.sampler = "replay/prioritised", .capacity = 7, .seed = 3});
    REQUIRE(other->extend(counting(1, 0, 5)));
    REQUIRE(other->load(folder.path() / "saved"));
    CHECK(other->capacity() == 50);
    CHECK(other->size() == buffer->size());
    CHECK(go_on(*other, 45) == go_on(*buffer, 45));

    const auto uniform = make({.sampler = "replay/uniform", .capacity = 50});
    REQUIRE(uniform->extend(counting(1, 0, 5)));
    CHECK_FALSE(uniform->load(folder.path() / "saved"));
    CHECK(uniform->size() == 0);
    CHECK_FALSE(uniform->load(folder.path() / "none"));
    REQUIRE(uniform->extend(counting(3, 0, 5)));
    CHECK(uniform->size() == 15);
}

TEST_CASE("what a buffer cannot be is said") {
    CHECK_THAT(refusal({}), ContainsSubstring("a buffer needs a sampler"));
    CHECK_THAT(refusal({.sampler = "replay/uniform", .capacity = 0}),
               ContainsSubstring("capacity must be at least 1 frame, not 0"));
    CHECK_THAT(refusal({.sampler = "replay/unifrom"}), ContainsSubstring("did you mean"));
    CHECK_THAT(refusal({.sampler = "classic/CartPole-v1"}), ContainsSubstring("buffer"));
    CHECK_THAT(refusal({.sampler = "replay/uniform", .options = {"n_stap=3"}}), ContainsSubstring("n_step"));
    CHECK_THAT(refusal({.sampler = "replay/uniform", .options = {"n_step=0"}}), ContainsSubstring("n_step"));
    const auto buffer = make({.sampler = "replay/uniform"});
    CHECK_THAT(buffer->extend(counting(2, 0, 4).index(0, 0).index(0, 0)).error().sentence,
               ContainsSubstring("[lane, time] or [time]"));
    REQUIRE(buffer->extend(counting(2, 0, 4)));
    CHECK_THAT(buffer->extend(counting(3, 0, 4)).error().sentence, ContainsSubstring("steps for 2 lanes"));
    CHECK(buffer->size() == 8);
}

}  // namespace

}  // namespace replay_buffer_test
