// SPDX-License-Identifier: Apache-2.0
#include "spread.hpp"

#include <fstream>
#include <sstream>

#include "play.hpp"

namespace spread_test {

using namespace tenon::test;

namespace {

constexpr auto kSpread = tenon::env<Spread>("Spread-v0", "agents that spread");

// The peer's numbers are rounded to float32, and are sums of up to 25 steps.
constexpr double kClose = 1e-5;

void check_seen(const Spread& env, std::istream& line) {
    std::vector<float> seen(Spread::kAgents * Spread::kSeen);
    env.see(seen);
    for (const float mine : seen) {
        double peer = 0;
        REQUIRE(line >> peer);
        CHECK(mine == Catch::Approx(peer).margin(kClose));
    }
}

}  // namespace

TEST_CASE("agents move, see and are rewarded as those of mpe2") {
    std::ifstream file(TENON_GOLDEN_DIR "/spread.txt");
    REQUIRE(file);
    Spread env;
    int steps = 0, touches = 0;
    for (std::string text; std::getline(file, text);) {
        if (text.starts_with("#")) {
            continue;
        }
        INFO(text);
        std::istringstream line(text);
        if (text.starts_with("start")) {
            line.ignore(5);
            for (auto* points : {&env.places, &env.landmarks}) {
                for (Spread::Point& point : *points) {
                    REQUIRE(line >> point[0] >> point[1]);
                }
            }
            env.speeds = {};
            check_seen(env, line);
            continue;
        }
        std::array<std::int64_t, Spread::kAgents> actions{};
        std::array<double, Spread::kAgents> peers{};
        REQUIRE(line >> actions[0] >> actions[1] >> actions[2] >> peers[0] >> peers[1] >> peers[2]);
        env.move(actions);
        std::array<float, Spread::kAgents> rewards{};
        const double mean = env.give_rewards(rewards);
        CHECK(mean == Catch::Approx((peers[0] + peers[1] + peers[2]) / 3).margin(kClose));
        for (std::size_t i = 0; i < Spread::kAgents; ++i) {
            CHECK(rewards[i] == Catch::Approx(peers[i]).margin(kClose));
            const Spread::Point &a = env.places[i], &b = env.places[(i + 1) % Spread::kAgents];
            touches += std::hypot(a[0] - b[0], a[1] - b[1]) < 0.3 ? 1 : 0;
        }
        check_seen(env, line);
        ++steps;
    }
    CHECK(steps == 75);
    CHECK(touches == 6);
}

double between(const Spread::Point& a, const Spread::Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
}

// The mean return of 500 episodes. choose(env, agent, landmark) chooses the action of an agent; landmarks are assigned
// to agents so that the sum of the distances is least.
template <class Choose>
double mean_return(Choose choose) {
    const PluginHost host;
    tenon::Rng rng(host.table(), {7, 7});
    double total = 0;
    for (int episode = 0; episode < 500; ++episode) {
        Spread env;
        for (auto* points : {&env.places, &env.landmarks}) {
            for (Spread::Point& point : *points) {
                point = {rng.uniform(-1, 1), rng.uniform(-1, 1)};
            }
        }
        const auto apart = [&](const std::array<std::size_t, 3>& of) {
            double sum = 0;
            for (std::size_t i = 0; i < 3; ++i) {
                sum += between(env.places[i], env.landmarks[of[i]]);
            }
            return sum;
        };
        std::array<std::size_t, 3> each = {0, 1, 2}, best = each;
        while (std::ranges::next_permutation(each).found) {
            best = apart(each) < apart(best) ? each : best;
        }
        for (int step = 0; step < 25; ++step) {
            std::array<std::int64_t, 3> actions{};
            for (std::size_t i = 0; i < 3; ++i) {
                actions[i] = choose(rng, env, i, env.landmarks[best[i]]);
            }
            env.move(actions);
            std::array<float, 3> rewards{};
            total += env.give_rewards(rewards);
        }
    }
    return total / 500;
}

TEST_CASE("what spread's returns are worth: random actions, and straight to landmarks that are assigned") {
    CHECK(mean_return([](tenon::Rng& rng, const Spread&, std::size_t, const Spread::Point&) {
              return static_cast<std::int64_t>(rng.below(5));
          }) == Catch::Approx(-26).margin(1));
    CHECK(mean_return([](tenon::Rng&, const Spread& env, std::size_t i, const Spread::Point& goal) {
              double least = 1e9;
              std::int64_t best = 0;
              for (std::int64_t action = 0; action < 5; ++action) {  // where it comes to rest after this one
                  Spread::Point rest = env.places[i];
                  for (std::size_t axis = 0; axis < 2; ++axis) {
                      const bool pushes = action > 0 && (action > 2) == (axis == 1);
                      const double force = !pushes ? 0 : action % 2 == 0 ? 5 : -5;
                      rest[axis] += env.speeds[i][axis] * 0.1 + (env.speeds[i][axis] * 0.75 + force * 0.1) * 0.4;
                  }
                  const double away = between(rest, goal);
                  best = away < least ? action : best;
                  least = std::min(least, away);
              }
              return best;
          }) == Catch::Approx(-8.8).margin(0.5));
}

TEST_CASE("spread's columns are of three agents, and its episodes have 25 steps") {
    EnvRig rig(kSpread, 1, 60);
    rig.reset({1});
    for (std::uint32_t slot = 0; slot < 50; ++slot) {
        for (std::size_t agent = 0; agent < Spread::kAgents; ++agent) {
            rig.columns.at<std::int64_t>("agents.action", slot, 0, agent) =
                static_cast<std::int64_t>((slot + agent) % 5);
        }
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        INFO(rig.host.error);
        REQUIRE(rig.lane_status[0] == TN_OK);
        CHECK(rig.columns.at<bool>("truncated", slot, 0) == (slot % 25 == 24));
        double total = 0;
        for (std::size_t agent = 0; agent < Spread::kAgents; ++agent) {
            total += rig.columns.at<float>("agents.reward", slot, 0, agent);
        }
        CHECK(rig.columns.at<float>("reward", slot, 0) == Catch::Approx(total / 3).margin(1e-6));
        CHECK(rig.columns.at<float>("state", slot, 0, 20) == rig.columns.at<float>("agents.observation", slot, 0, 20));
    }
}

}  // namespace spread_test
