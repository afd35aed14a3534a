// SPDX-License-Identifier: Apache-2.0
#include "particles.hpp"

#include <fstream>
#include <sstream>

#include "play.hpp"
#include "speaker.hpp"
#include "tag.hpp"

namespace particles_test {

using namespace tenon::test;

namespace {

constexpr auto kTag = tenon::env<Tag>("Tag-v0", "adversaries chase an agent");
constexpr auto kSpeaker = tenon::env<Speaker>("SpeakerListener-v0", "a speaker and a listener");
constexpr double kClose = 1e-9;

double number(std::istream& line) {
    double out = 0;
    REQUIRE(line >> out);
    return out;
}

void check(std::istream& line, const particles::Point& mine) {
    CHECK(mine[0] == Catch::Approx(number(line)).margin(kClose));
    CHECK(mine[1] == Catch::Approx(number(line)).margin(kClose));
}

template <class T>
void check_seen(std::istream& line, const T& env, std::size_t size) {
    std::vector<float> seen(size);
    env.see(seen);
    for (const float mine : seen) {
        CHECK(mine == Catch::Approx(number(line)).margin(1e-7));
    }
}

// Calls start(line) or step(line) for each line of a golden file; the number of steps.
template <class Start, class Step>
int each_line(const char* name, Start start, Step step) {
    std::ifstream file(std::string(TENON_GOLDEN_DIR "/") + name);
    REQUIRE(file);
    int steps = 0;
    for (std::string text; std::getline(file, text);) {
        if (!text.starts_with("#")) {
            INFO(text);
            std::istringstream line(text);
            if (text.starts_with("start")) {
                line.ignore(5);
                start(line);
            } else {
                step(line);
                ++steps;
            }
        }
    }
    return steps;
}

void act(EnvRig& rig, std::uint32_t slot, const char* key, std::size_t agent, std::uint32_t choices) {
    const std::uint32_t bits = tn_philox({slot, agent}, choices).word[0];
    rig.columns.at<std::int64_t>(key, slot, 0, agent) = tn_below(bits, choices);
}

// The mean return of episodes in which all agents act at random.
double mean_return(EnvRig& rig, std::uint32_t episodes, const std::function<void(std::uint32_t)>& choose) {
    rig.reset({4});
    double total = 0;
    for (std::uint32_t slot = 0; slot < 25 * episodes; ++slot) {
        choose(slot);
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        REQUIRE(rig.lane_status[0] == TN_OK);
        CHECK(rig.columns.at<bool>("truncated", slot, 0) == (slot % 25 == 24));
        total += static_cast<double>(rig.columns.at<float>("reward", slot, 0));
    }
    return total / episodes;
}

}  // namespace

TEST_CASE("adversaries and an agent move, see and are rewarded as those of mpe2's simple_tag") {
    Tag env;
    int touches = 0;
    const auto start = [&](std::istream& line) {
        for (particles::Particle& body : env.bodies) {
            body = {.place = {number(line), number(line)}};
        }
        for (particles::Point& obstacle : env.obstacles) {
            obstacle = {number(line), number(line)};
        }
    };
    const auto step = [&](std::istream& line) {
        std::array<std::int64_t, Tag::kAll> actions{};
        for (std::int64_t& action : actions) {
            REQUIRE(line >> action);
        }
        env.move(actions);
        const std::array<double, 2> mine = env.reward_adversary_and_agent();
        check(line, mine);
        touches += mine[0] > 0 ? 1 : 0;
        for (const particles::Particle& body : env.bodies) {
            check(line, body.place);
        }
        for (const particles::Particle& body : env.bodies) {
            check(line, body.speed);
        }
        check_seen(line, env, 62);
    };
    CHECK(each_line("tag.txt", start, step) == 75);
    CHECK(touches > 0);
}

TEST_CASE("a speaker and a listener move, see and are rewarded as those of mpe2's simple_speaker_listener") {
    Speaker env;
    const auto start = [&](std::istream& line) {
        env = {};
        REQUIRE(line >> env.goal);
        env.listener.place = {number(line), number(line)};
        for (particles::Point& landmark : env.landmarks) {
            landmark = {number(line), number(line)};
        }
        check_seen(line, env, 14);
    };
    const auto step = [&](std::istream& line) {
        std::int64_t word = 0, way = 0;
        REQUIRE(line >> word >> way);
        const double mine = env.move(word, way);
        CHECK(mine == Catch::Approx(number(line)).margin(kClose));
        check(line, env.listener.place);
        check(line, env.listener.speed);
        check_seen(line, env, 14);
    };
    CHECK(each_line("speaker.txt", start, step) == 75);
}

TEST_CASE("in a tag both groups see their part of the state, and random ones touch as often as they do in mpe2") {
    constexpr std::uint32_t kEpisodes = 400;
    EnvRig rig(kTag, 1, 25 * kEpisodes + 1, [](auto& options) { options["prey"].text = tenon::to_str("learnt"); });
    const double mean = mean_return(rig, kEpisodes, [&](std::uint32_t slot) {
        for (std::size_t i = 0; i < Tag::kAdversaries; ++i) {
            act(rig, slot, "adversary.action", i, 5);
        }
        act(rig, slot, "agent.action", 0, 5);
    });
    CHECK(mean == Catch::Approx(2.9).margin(1.5));
    for (const std::uint32_t slot : {0U, 77U}) {
        CHECK(rig.columns.at<float>("state", slot, 0, 17) ==
              rig.columns.at<float>("adversary.observation", slot, 0, 17));
        CHECK(rig.columns.at<float>("state", slot, 0, 50) == rig.columns.at<float>("agent.observation", slot, 0, 2));
        CHECK(rig.columns.at<float>("adversary.reward", slot, 0, 2) == rig.columns.at<float>("reward", slot, 0));
        CHECK(rig.columns.at<float>("agent.reward", slot, 0, 0) <= -rig.columns.at<float>("reward", slot, 0));
    }
}

TEST_CASE("a listener hears the word of the step before, by a script or by a policy") {
    constexpr std::uint32_t kEpisodes = 200;
    EnvRig rig(kSpeaker, 1, 25 * kEpisodes + 1,
               [](auto& options) { options["speaker"].text = tenon::to_str("learnt"); });
    const double mean = mean_return(rig, kEpisodes, [&](std::uint32_t slot) {
        act(rig, slot, "speaker.action", 0, 3);
        act(rig, slot, "listener.action", 0, 5);
    });
    CHECK(mean == Catch::Approx(-40).margin(8));
    CHECK(rig.columns.at<float>("listener.observation", 25, 0, 8) == 0);  // nothing has been said yet
    for (const std::uint32_t slot : {3U, 60U}) {
        const auto word = static_cast<std::size_t>(rig.columns.at<std::int64_t>("speaker.action", slot, 0, 0));
        CHECK(rig.columns.at<float>("listener.observation", slot + 1, 0, 8 + word) == 1);
        CHECK(rig.columns.at<float>("state", slot, 0, 4) == rig.columns.at<float>("listener.observation", slot, 0, 1));
    }
    EnvRig scripted(kSpeaker, 1, 26);
    mean_return(scripted, 1, [&](std::uint32_t slot) { act(scripted, slot, "listener.action", 0, 5); });
    std::size_t goal = 0;
    while (scripted.columns.at<float>("state", 0, 0, goal) < 0.5F) {
        ++goal;
    }
    CHECK(scripted.columns.at<float>("listener.observation", 9, 0, 8 + goal) == 1);
}

}  // namespace particles_test
