// SPDX-License-Identifier: Apache-2.0
// A speaker sees the colour of the landmark to which a listener should go, and says one of three words; the listener
// sees the landmarks and the word: simple_speaker_listener of the multi-agent particle environments, with the physics,
// observations and rewards of mpe2 1.1 with discrete actions. The groups have mpe2's names, `speaker` and `listener`.
// With `speaker = "scripted"` the speaker says the landmark's number, and only the listener acts. Both get the same
// reward.
#pragma once

#include <string>

#include "particles.hpp"
#include "tenon/env.hpp"

struct Speaker {
    static constexpr std::size_t kWords = 3;
    static constexpr std::int64_t kColour = 3, kSeen = 2 + 2 * kWords + kWords;
    using Point = particles::Point;

    std::string speaker;
    std::int64_t max_episode_steps = 25;
    particles::Particle listener;
    std::array<Point, kWords> landmarks{};
    std::int64_t goal = 0;   // the number of a landmark
    std::int64_t word = -1;  // what the speaker has said in the last step

    static constexpr auto options = std::tuple{
        tenon::option<&Speaker::speaker>("speaker", "scripted", "scripted|learnt",
                                         "who speaks: a script that says the landmark's number, or a policy"),
        tenon::option<&Speaker::max_episode_steps>("max_episode_steps", 25, "[1,inf)", "time limit")};

    [[nodiscard]] tenon::EnvSpec spec() const {
        tenon::EnvSpec out;
        if (speaker == "learnt") {
            out.observations.push_back(tenon::of_group("speaker", 1, tenon::bounded("observation", {kColour}, 0, 1)));
            out.actions.push_back(tenon::of_group("speaker", 1, tenon::categorical("action", kWords)));
        }
        out.observations.push_back(tenon::of_group("listener", 1, tenon::unbounded("observation", {kSeen})));
        out.actions.push_back(tenon::of_group("listener", 1, tenon::categorical("action", 5)));
        out.observations.push_back(tenon::unbounded("state", {kColour + kSeen}));
        return out;
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        listener = {.place = particles::anywhere(rng)};
        for (Point& landmark : landmarks) {
            landmark = particles::anywhere(rng);
        }
        goal = static_cast<std::int64_t>(rng.below(kWords));
        word = -1;
        show(row);
    }

    tenon::StepResult step(const tenon::EnvRow& row) {
        const bool both = speaker == "learnt";
        const std::int64_t says = both ? agent_action(row.action<std::int64_t>(0)[0], kWords) : goal;
        const double reward = move(says, agent_action(row.action<std::int64_t>(both ? 1 : 0)[0], 5));
        show(row);
        return {.reward = reward};
    }

    // Returns the reward: minus the squared distance from the listener to its landmark.
    double move(std::int64_t says, std::int64_t way) {
        word = says;
        particles::move(listener, particles::force_of(way));
        const Point& to = landmarks[static_cast<std::size_t>(goal)];
        const double x = listener.place[0] - to[0], y = listener.place[1] - to[1];
        return -(x * x + y * y);
    }

    void show(const tenon::EnvRow& row) const {
        const bool both = speaker == "learnt";
        const std::span<float> state = row.observation<float>(both ? 2 : 1);
        see(state);
        if (both) {
            std::ranges::copy(state.first(kColour), row.observation<float>(0).begin());
        }
        std::ranges::copy(state.subspan(kColour), row.observation<float>(both ? 1 : 0).begin());
    }

    // What both see: the landmark's colour; the listener's speed, the landmarks from its place, and the word.
    void see(std::span<float> seen) const {
        particles::Eye eye(seen);
        for (std::int64_t channel = 0; channel < kColour; ++channel) {
            eye.put(channel == goal ? 0.65 : 0.15);
        }
        eye.put(listener.speed);
        for (const Point& landmark : landmarks) {
            eye.put(landmark, listener.place);
        }
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(kWords); ++i) {
            eye.put(i == word ? 1.0 : 0.0);
        }
    }

    void state(tenon::Archive& archive) { archive(listener, landmarks, goal, word); }
};
