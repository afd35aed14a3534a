// SPDX-License-Identifier: Apache-2.0
// The library's loop by hand: what is evaluated is what an update would do, and changes nothing.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "run/sessions/session.hpp"
#include "support/catch.hpp"
#include "support/scratch_folder.hpp"

namespace session_test {

using tenon::Batch;
using tenon::ParameterView;
using tenon::Session;

namespace {

constexpr const char* kManifest = R"([run]
total_frames = 10_000
dtype = "float64"

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [8]
activation = "tanh"

[exploration]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/uniform"

[objective]
plugin = "dqn/dqn"

[train]
batch = 4
minibatch = 16

[eval]
episodes = 3
)";

struct Opened {
    tenon::test::ScratchFolder folder;
    std::unique_ptr<Session> session;

    explicit Opened(const std::string& text = kManifest) {
        const auto path = folder.path() / "small.toml";
        std::ofstream(path) << text;
        tenon::Problems problems;
        session = Session::open({.manifest = path, .overrides = {}, .plugins = {}}, problems);
        for (const tenon::Problem& problem : problems) {
            FAIL(tenon::render(problem));
        }
    }
};

std::vector<double> values_of(Session& session) {
    std::vector<double> out;
    for (const ParameterView& parameter : session.parameters()) {
        const auto* first = parameter.value.as<double>();
        out.insert(out.end(), first, first + parameter.value.shape.elements());
    }
    return out;
}

}  // namespace

TEST_CASE("a session evaluates without moving anything, and updates by what it evaluated") {
    Opened opened;
    Session& session = *opened.session;
    REQUIRE(session.collect(50));
    CHECK(session.frames() == 200);
    const auto rows = session.sample();
    REQUIRE(rows);

    const std::vector<double> before = values_of(session);
    const auto terms = session.evaluate(*rows);
    REQUIRE(terms);
    CHECK(values_of(session) == before);
    CHECK(session.updates() == 0);
    REQUIRE(terms->losses.size() == 1);
    CHECK(terms->losses[0].name == "q");

    const auto again = session.update(*rows);
    REQUIRE(again);
    CHECK(again->losses[0].value == terms->losses[0].value);
    CHECK(session.updates() == 1);
    CHECK(values_of(session) != before);
}

TEST_CASE("a session whose updates would be computed on a device is refused") {
    std::string text = kManifest;
    text.replace(text.find("dtype = \"float64\""), 17, "device = \"emulated\"");
    const tenon::test::ScratchFolder folder;
    const auto path = folder.path() / "device.toml";
    std::ofstream(path) << text;
    tenon::Problems problems;
    CHECK(Session::open({.manifest = path, .overrides = {}, .plugins = {}}, problems) == nullptr);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].sentence ==
          "updates are computed on emulated, but a program's own loop has the parameters in place, so that they must "
          "be computed on the CPU");
    CHECK(problems[0].place.line == 3);

    text.insert(text.find("device ="), "learn_on = \"cpu\"\n");
    const Opened opened(text);
    CHECK(opened.session->collect(2));
}

TEST_CASE("a session's gradients are those of its losses") {
    Opened opened;
    Session& session = *opened.session;
    REQUIRE(session.collect(50));
    const auto rows = session.sample();
    REQUIRE(rows);
    // a few updates, so that the target differs from the network
    for (int i = 0; i < 3; ++i) {
        REQUIRE(session.update(*rows));
    }
    REQUIRE(session.evaluate(*rows));
    std::size_t checked = 0;
    for (const ParameterView& parameter : session.parameters()) {
        REQUIRE(parameter.gradient.data != nullptr);
        const std::int64_t count = parameter.value.shape.elements();
        std::vector<double> gradient(parameter.gradient.as<double>(), parameter.gradient.as<double>() + count);
        for (std::int64_t i = 0; i < count; i += 5) {
            constexpr double kStep = 1e-6;
            double& value = parameter.value.as<double>()[i];
            const double kept = value;
            value = kept + kStep;
            const double above = session.evaluate(*rows).value().losses[0].value;
            value = kept - kStep;
            const double below = session.evaluate(*rows).value().losses[0].value;
            value = kept;
            const double difference = (above - below) / (2 * kStep);
            // the second derivative of the Huber loss jumps, which a difference sees by about a step
            CHECK(std::abs(gradient[static_cast<std::size_t>(i)] - difference) < 2 * kStep);
            ++checked;
        }
    }
    CHECK(checked > 10);
}

TEST_CASE("a session takes columns from anywhere, if they fit") {
    Opened opened;
    Session& session = *opened.session;
    REQUIRE(session.collect(50));
    const auto rows = session.sample();
    REQUIRE(rows);
    const double loss = session.evaluate(*rows).value().losses[0].value;

    auto own = rows->clone();
    REQUIRE(own);
    CHECK(session.evaluate(*own).value().losses[0].value == loss);

    auto* reward = own->find("next.reward")->as<float>();
    std::for_each(reward, reward + 16, [](float& r) { r += 100; });
    CHECK(session.evaluate(*own).value().losses[0].value > loss + 1);

    Batch lacking(tenon::Shape{16});
    const auto refused = session.evaluate(lacking);
    REQUIRE(!refused);
    CHECK(refused.error().sentence.starts_with("the batch has no column '"));

    const Batch none = own->slice(0, 0, 0);
    for (const auto& empty : {session.evaluate(none), session.update(none)}) {
        REQUIRE(!empty);
        CHECK(empty.error().sentence == "the batch has no rows: there is nothing to compute");
    }

    Batch wrong = *own;
    REQUIRE(wrong.set("next.reward", *own->find("action")));
    const auto typed = session.evaluate(wrong);
    REQUIRE(!typed);
    CHECK(typed.error().sentence ==
          "the column 'next.reward' of the batch must be dense float32 [16], but is int64 [16]");
}

TEST_CASE("a session samples as many rows as it is asked for") {
    Opened opened;
    Session& session = *opened.session;
    REQUIRE(session.collect(50));
    const double loss = session.evaluate(*session.sample()).value().losses[0].value;
    for (const std::int64_t rows : {1, 16, 40, 3}) {
        const auto sample = session.sample(rows);
        REQUIRE(sample);
        CHECK(sample->leading() == tenon::Shape{rows});
        REQUIRE(session.update(*sample));
    }
    CHECK(session.updates() == 4);
    CHECK(session.sample(0)->leading() == tenon::Shape{16});
    const auto refused = session.sample(-1);
    REQUIRE(!refused);
    CHECK(refused.error().sentence == "a sample cannot have -1 rows");

    Opened again;  // the size of one sample does not change the rows of others
    REQUIRE(again.session->collect(50));
    CHECK(again.session->evaluate(*again.session->sample()).value().losses[0].value == loss);
}

TEST_CASE("a rollout is the steps that were made, lane by lane") {
    Opened opened;
    Session& session = *opened.session;
    const auto first = session.rollout(30);
    REQUIRE(first);
    CHECK(first->leading() == tenon::Shape{4, 30});
    CHECK(session.frames() == 120);
    const auto element = [](const Batch& batch, const char* key, std::int64_t lane, std::int64_t time) {
        return *batch.find(key)->index(0, lane).index(0, time).index(0, 0).as<float>();
    };
    const auto done = [](const Batch& batch, std::int64_t lane, std::int64_t time) {
        return *batch.find("next.done")->index(0, lane).index(0, time).as<std::uint8_t>() != 0;
    };
    std::int64_t continued = 0;
    for (std::int64_t lane = 0; lane < 4; ++lane) {
        for (std::int64_t time = 0; time + 1 < 30; ++time) {
            if (!done(*first, lane, time)) {
                CHECK(element(*first, "next.observation", lane, time) ==
                      element(*first, "observation", lane, time + 1));
                ++continued;
            }
        }
    }
    CHECK(continued > 60);
    const auto until = session.rollout(400, {.until_any_done = true});
    REQUIRE(until);
    const std::int64_t steps = until->leading()[1];
    CHECK(steps < 400);
    for (std::int64_t time = 0; time < steps; ++time) {
        const bool any =
            done(*until, 0, time) || done(*until, 1, time) || done(*until, 2, time) || done(*until, 3, time);
        CHECK(any == (time + 1 == steps));
    }
    const auto five = session.rollout(9, {.after_step = [](std::int64_t made) { return made < 5; }});
    REQUIRE(five);
    CHECK(five->leading() == tenon::Shape{4, 5});
    CHECK_FALSE(session.rollout(0));
    const auto long_one = session.rollout(1'000'000);
    REQUIRE(!long_one);
    CHECK(long_one.error().sentence.ends_with("the steps of each lane that the storage holds"));
}

TEST_CASE("a session scores without exploring, and the same way twice") {
    Opened opened;
    const auto first = opened.session->score();
    const auto second = opened.session->score();
    REQUIRE((first && second));
    CHECK(first->episodes == 3);
    CHECK(first->return_mean == second->return_mean);
    CHECK(first->return_mean >= 8);
}

TEST_CASE("a session says what its manifest lacks") {
    Opened opened(R"([run]
total_frames = 100
[env]
plugin = "classic/CartPole-v1"
[policy.any]
plugin = "random/random"
)");
    REQUIRE(opened.session->collect(3));
    const auto sampled = opened.session->sample();
    REQUIRE(!sampled);
    CHECK(sampled.error().sentence == "there is nothing to sample: the manifest needs an [objective] and a [buffer]");
    CHECK(!opened.session->evaluate(Batch(tenon::Shape{1})));

    tenon::Problems problems;
    CHECK(Session::open({.manifest = opened.folder.path() / "none.toml", .overrides = {}, .plugins = {}}, problems) ==
          nullptr);
    CHECK(problems.size() == 1);
}

TEST_CASE("a session refuses a TENON_LEVEL that is no level") {
    const Opened opened;
    const char* const before = std::getenv("TENON_LEVEL");
    const std::string kept = before != nullptr ? before : "";
    setenv("TENON_LEVEL", "sse", 1);
    tenon::Problems problems;
    CHECK(Session::open({.manifest = opened.folder.path() / "small.toml", .overrides = {}, .plugins = {}}, problems) ==
          nullptr);
    setenv("TENON_LEVEL", kept.c_str(), 1);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].sentence.starts_with("the environment variable TENON_LEVEL must be"));
}

}  // namespace session_test
