// SPDX-License-Identifier: Apache-2.0
// Agents carry a line on which a package lies up to a goal, and must not let either fall: balance of VMAS (Bettini et
// al. 2022), with the physics, observations and rewards of vmas 1.5.2. All agents get the same reward, 100 times by how
// much the package came closer to the goal, and -10 on the floor; both ends end the episode. A policy that always
// arrives gets 145.2 on average, which is 100 times the package's distance at the start minus that at which it touches
// the goal. But three agents lift it by less than 0.45 in 100 steps, so no policy gets more than about 44 in 100 steps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "agents_actions.hpp"
#include "tenon/env.hpp"

struct Balance {
    static constexpr std::size_t kMost = 8;
    static constexpr std::int64_t kSeen = 16;
    using Point = std::array<double, 2>;
    struct Body {
        Point place{}, speed{}, force{};
    };

    std::int64_t agents = 3;
    std::string moves;
    double package_mass = 5;
    std::int64_t max_episode_steps = 100;
    std::array<Body, kMost> bodies{};  // of the agents
    Body package, line;
    Point goal{};
    double angle = 0, spin = 0, torque = 0;  // of the line
    double apart = 0;                        // from the package to the goal

    static constexpr auto options =
        std::tuple{tenon::option<&Balance::agents>("agents", 3, "[2,8]", "number of agents"),
                   tenon::option<&Balance::moves>(
                       "moves", "continuous", "discrete|continuous",
                       "two forces in [-1,1], or one of nine: 3 x + y, where 0 is none, 1 down or left"),
                   tenon::option<&Balance::package_mass>("package_mass", 5.0, "(0,1000]", "mass of the package"),
                   tenon::option<&Balance::max_episode_steps>("max_episode_steps", 100, "[1,inf)", "time limit")};

    [[nodiscard]] tenon::EnvSpec spec() const {
        const tenon::Spec action =
            moves == "discrete" ? tenon::categorical("action", 9) : tenon::bounded("action", {2}, -1, 1);
        return {.observations = {tenon::of_group("agents", agents, tenon::unbounded("observation", {kSeen})),
                                 tenon::unbounded("state", {kSeen * agents})},
                .actions = {tenon::of_group("agents", agents, action)}};
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        goal = {rng.uniform(-1, 1), rng.uniform(0, 1)};
        line = {.place = {rng.uniform(-1 + kLength / 2, 1 - kLength / 2), -1 + 2 * kAgent}};
        package = {.place = {line.place[0] + rng.uniform(-kLength / 2 + kPackage, kLength / 2 - kPackage),
                             line.place[1] + kPackage}};
        for (std::size_t i = 0; i < count(); ++i) {
            const double share = static_cast<double>(i) / static_cast<double>(agents - 1);
            bodies[i] = {.place = {line.place[0] + (share - 0.5) * (kLength - kAgent), line.place[1] - 2 * kAgent}};
        }
        angle = spin = 0;
        apart = distance(package.place, goal);
        show(row);
    }

    tenon::StepResult step(const tenon::EnvRow& row) {
        for (std::size_t i = 0; i < count(); ++i) {
            bodies[i].force = force_of(row, i);
        }
        const tenon::StepResult result = move();
        show(row);
        return result;
    }

    // A step with the forces that the agents choose.
    tenon::StepResult move() {
        package.force = line.force = {};
        torque = 0;
        for (std::size_t i = 0; i < count(); ++i) {
            for (std::size_t k = i + 1; k < count(); ++k) {
                push_apart(bodies[i], bodies[k], 2 * kAgent);
            }
            push_apart(bodies[i], package, kAgent + kPackage);
            push_from_line(bodies[i], kAgent);
            push_from_floor(bodies[i], kAgent);
        }
        push_from_line(package, kPackage);
        push_from_floor(package, kPackage);
        for (std::size_t i = 0; i < count(); ++i) {
            integrate(bodies[i], 1);
        }
        integrate(package, package_mass);
        integrate(line, kLineMass);
        spin = spin * (1 - kDrag) + torque / (kLineMass * kLength * kLength / 12) * kStep;
        angle += spin * kStep;
        const double before = std::exchange(apart, distance(package.place, goal));
        const bool fell = lowest() - kFloor < kThick || package.place[1] - kFloor < kPackage + kThick;
        return {.reward = 100 * (before - apart) + (fell ? -10 : 0), .terminated = fell || apart < kPackage + kGoal};
    }

    void show(const tenon::EnvRow& row) const {
        see(row.observation<float>(0));
        see(row.observation<float>(1));
    }

    void see(std::span<float> seen) const {
        float* out = seen.data();
        const auto put = [&](const Point& point, const Point& from) {
            *out++ = static_cast<float>(point[0] - from[0]);
            *out++ = static_cast<float>(point[1] - from[1]);
        };
        constexpr double kHalfTurn = 3.14159265358979323846;
        const double turned = std::fmod(angle, kHalfTurn);
        for (std::size_t i = 0; i < count(); ++i) {
            put(bodies[i].place, {});
            put(bodies[i].speed, {});
            put(bodies[i].place, package.place);
            put(bodies[i].place, line.place);
            put(package.place, goal);
            put(package.speed, {});
            put(line.speed, {});
            put({spin, turned < 0 ? turned + kHalfTurn : turned}, {});
        }
    }

    void state(tenon::Archive& archive) { archive(bodies, package, line, goal, angle, spin, torque, apart); }

    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(agents); }

private:
    static constexpr double kAgent = 0.03, kPackage = 0.05, kGoal = 0.05;  // radii
    static constexpr double kLength = 0.8, kLineMass = 5, kFloor = -1.03, kThick = 4.0 / 600;
    static constexpr double kStep = 0.1, kDrag = 0.25, kGravity = -0.05;

    static double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1]); }

    [[nodiscard]] Point force_of(const tenon::EnvRow& row, std::size_t i) const {
        constexpr double kStrength = 0.7;
        if (moves == "continuous") {
            const std::span<const float> action = row.action<float>().subspan(2 * i, 2);
            return {kStrength * action[0], kStrength * action[1]};
        }
        constexpr std::array<double, 3> kWays = {0, -kStrength, kStrength};
        const auto choice = static_cast<std::size_t>(agent_action(row.action<std::int64_t>()[i], 9));
        return {kWays[choice / 3], kWays[choice % 3]};
    }

    // The force between two points that are nearer than `touch`, along their difference.
    static Point force_between(const Point& a, const Point& b, double touch) {
        constexpr double kForce = 100, kMargin = 1e-3;
        const Point way = {a[0] - b[0], a[1] - b[1]};
        const double apart = std::hypot(way[0], way[1]);
        if (apart > touch || apart < 1e-6) {
            return {};
        }
        const double depth = (touch - apart) / kMargin;
        const double force = kForce * kMargin * (depth + std::log1p(std::exp(-depth))) / apart;
        return {way[0] * force, way[1] * force};
    }

    static void push_apart(Body& a, Body& b, double touch) {
        const Point force = force_between(a.place, b.place, touch);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            a.force[axis] += force[axis];
            b.force[axis] -= force[axis];
        }
    }

    void push_from_line(Body& body, double radius) {
        const Point along = {std::cos(angle), std::sin(angle)};
        const double at = (body.place[0] - line.place[0]) * along[0] + (body.place[1] - line.place[1]) * along[1];
        const double arm = std::clamp(at, -kLength / 2, kLength / 2);  // of the nearest point of the line
        const Point nearest = {line.place[0] + arm * along[0], line.place[1] + arm * along[1]};
        const Point force = force_between(body.place, nearest, radius + kThick);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            body.force[axis] += force[axis];
            line.force[axis] -= force[axis];
        }
        torque -= arm * (along[0] * force[1] - along[1] * force[0]);
    }

    // The line never pushes on the floor: where they touch, the episode has ended.
    static void push_from_floor(Body& body, double radius) {
        body.force[1] += force_between(body.place, {body.place[0], kFloor}, radius + kThick)[1];
    }

    static void integrate(Body& body, double mass) {
        body.force[1] += mass * kGravity;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            body.speed[axis] = body.speed[axis] * (1 - kDrag) + body.force[axis] / mass * kStep;
            body.place[axis] += body.speed[axis] * kStep;
        }
        body.place[1] = std::clamp(body.place[1], -1.0, 1.0);
    }

    [[nodiscard]] double lowest() const { return line.place[1] - kLength / 2 * std::abs(std::sin(angle)); }
};
