// SPDX-License-Identifier: Apache-2.0
// The physics of the multi-agent particle environments (Lowe et al. 2017) as in mpe2 1.1: discs of mass 1 that are
// pushed by actions and by what they touch, and are slowed down.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "agents_actions.hpp"

namespace particles {

using Point = std::array<double, 2>;

struct Particle {
    Point place{}, speed{};
};

inline double distance(const Point& a, const Point& b) {
    return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

inline Point anywhere(tenon::Rng& rng, double most = 1) {
    return {rng.uniform(-most, most), rng.uniform(-most, most)};
}

// The force of an action: 0 nothing, 1 left, 2 right, 3 down, 4 up.
inline Point force_of(std::int64_t action, double strength = 5) {
    Point force{};
    force[action > 2 ? 1 : 0] = action == 0 ? 0 : action % 2 == 0 ? strength : -strength;
    return force;
}

// The force by which b pushes a, whose radii add up to `touch`.
inline Point push(const Point& a, const Point& b, double touch) {
    constexpr double kForce = 100, kMargin = 1e-3;
    const double apart = distance(a, b), depth = (touch - apart) / kMargin;
    const double penetration = (std::max(depth, 0.0) + std::log1p(std::exp(-std::abs(depth)))) * kMargin;
    const double force = apart > 0 ? kForce * penetration / apart : 0;
    return {(a[0] - b[0]) * force, (a[1] - b[1]) * force};
}

inline void add(Point& sum, const Point& other, double sign = 1) {
    sum[0] += sign * other[0];
    sum[1] += sign * other[1];
}

inline void move(Particle& body, const Point& force, double fastest = std::numeric_limits<double>::infinity()) {
    constexpr double kStep = 0.1, kDamping = 0.25;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        body.place[axis] += body.speed[axis] * kStep;
        body.speed[axis] = body.speed[axis] * (1 - kDamping) + force[axis] * kStep;
    }
    if (const double speed = distance(body.speed, {}); speed > fastest) {
        body.speed = {body.speed[0] / speed * fastest, body.speed[1] / speed * fastest};
    }
}

// Writes points, as seen from another one, as float32.
class Eye {
public:
    explicit Eye(std::span<float> out) : out_(out.data()) {}
    void put(const Point& point, const Point& from = {}) {
        *out_++ = static_cast<float>(point[0] - from[0]);
        *out_++ = static_cast<float>(point[1] - from[1]);
    }
    void put(double number) { *out_++ = static_cast<float>(number); }

private:
    float* out_;
};

}  // namespace particles
