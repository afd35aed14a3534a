// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>
#include <vector>

#include "compute/graph/draw.hpp"
#include "support/catch.hpp"

namespace draw_test {

using namespace tenon::graph;

namespace {

Draw draw_of(std::uint64_t first, std::uint64_t rows) {
    return {.key = {.seed = 7, .stream = 1234567},
            .counter = 41,
            .first_row = first,
            .rows = rows,
            .width = 3,
            .member = 0,
            .time = 0};
}

template <class Real>
std::vector<Real> uniform(const Draw& draw) {
    std::vector<Real> out(draw.rows * draw.width);
    draw_uniform(draw, out.data());
    return out;
}

template <class Real>
std::vector<Real> normal(const Draw& draw) {
    std::vector<Real> out(draw.rows * draw.width);
    draw_normal(draw, out.data());
    return out;
}

}  // namespace

TEST_CASE("draws do not depend on how rows are cut into ranges") {
    const auto whole_uniform = uniform<float>(draw_of(5, 11));
    const auto whole_normal = normal<float>(draw_of(5, 11));
    for (std::uint64_t cut = 0; cut <= 11; ++cut) {
        auto a = uniform<float>(draw_of(5, cut));
        const auto b = uniform<float>(draw_of(5 + cut, 11 - cut));
        a.insert(a.end(), b.begin(), b.end());
        CHECK(a == whole_uniform);
        auto c = normal<float>(draw_of(5, cut));
        const auto d = normal<float>(draw_of(5 + cut, 11 - cut));
        c.insert(c.end(), d.begin(), d.end());
        CHECK(c == whole_normal);
    }
}

TEST_CASE("float32 and float64 draw the same numbers") {
    const auto u32 = uniform<float>(draw_of(0, 500));
    const auto u64 = uniform<double>(draw_of(0, 500));
    const auto n32 = normal<float>(draw_of(0, 500));
    const auto n64 = normal<double>(draw_of(0, 500));
    for (std::size_t i = 0; i < u32.size(); ++i) {
        CHECK(static_cast<double>(u32[i]) == u64[i]);  // exact
        CHECK(n32[i] == static_cast<float>(n64[i]));   // rounded
        CHECK((u64[i] > 0.0 && u64[i] < 1.0));
    }
}

TEST_CASE("counters, members, time steps and streams draw other numbers") {
    const Draw base = draw_of(0, 1);
    std::set<float> first{uniform<float>(base)[0]};
    for (Draw other : {base, base, base, base, base}) {
        switch (first.size()) {
            case 1:
                other.counter += 1;
                break;
            case 2:
                other.member = 1;
                break;
            case 3:
                other.time = 1;
                break;
            case 4:
                other.key.stream += 1;
                break;
            default:
                other.key.seed += 1;
                break;
        }
        CHECK(first.insert(uniform<float>(other)[0]).second);
    }
}

TEST_CASE("draws have the moments of their distributions") {
    const auto u = uniform<double>(draw_of(0, 40000));
    const auto n = normal<double>(draw_of(0, 40000));
    double mean = 0;
    double square = 0;
    double centre = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        mean += u[i] / static_cast<double>(u.size());
        centre += n[i] / static_cast<double>(n.size());
        square += n[i] * n[i] / static_cast<double>(n.size());
    }
    CHECK(std::abs(mean - 0.5) < 0.005);  // six deviations of the mean of 120,000
    CHECK(std::abs(centre) < 0.0175);
    CHECK(std::abs(square - 1.0) < 0.025);
}

}  // namespace draw_test
