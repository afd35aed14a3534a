// SPDX-License-Identifier: Apache-2.0
// Adam and clipping, step by step against torch's numbers (tests/golden/adam.txt).
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "learn/optimiser.hpp"
#include "small_network.hpp"
#include "support/catch.hpp"

namespace tenon {
namespace {

using test::kRealType;
using test::make_network;
using test::parameter;
using test::span_of;

using Values = std::vector<double>;

struct Step {
    Values gradient, norm, parameters, moment1, moment2;
};

struct Case {
    std::string name, dtype;
    Values lr, betas, eps, max_norm, initial;
    std::vector<Step> steps;
};

// Which list of numbers a line belongs to; each gradient begins a step.
Values& place_of(Case& now, const std::string& key) {
    if (key == "gradient") {
        return now.steps.emplace_back().gradient;
    }
    if (now.steps.empty()) {
        return key == "lr"         ? now.lr
               : key == "betas"    ? now.betas
               : key == "eps"      ? now.eps
               : key == "max_norm" ? now.max_norm
                                   : now.initial;
    }
    Step& step = now.steps.back();
    return key == "norm"         ? step.norm
           : key == "parameters" ? step.parameters
           : key == "moment1"    ? step.moment1
                                 : step.moment2;
}

std::vector<Case> read_cases(const std::string& dtype) {
    std::ifstream file(TENON_GOLDEN_DIR "/adam.txt");
    REQUIRE(file);
    std::vector<Case> cases;
    for (std::string text; std::getline(file, text);) {
        std::istringstream line(text);
        std::string key;
        line >> key;
        if (key == "case") {
            line >> cases.emplace_back().name;
        } else if (key == "dtype") {
            line >> cases.back().dtype;
        } else if (!cases.empty() && key != "end") {
            Values& values = place_of(cases.back(), key);
            for (double value = 0; line >> value;) {
                values.push_back(value);
            }
        }
    }
    std::erase_if(cases, [&](const Case& each) { return each.dtype != dtype; });
    REQUIRE(cases.size() == 4);
    return cases;
}

// The tensors stand in two networks, as an actor and a critic do that are clipped together.
template <class Real>
class Pair {
public:
    enum Which { kLive, kGradient, kMoment1, kMoment2 };

    void write(Which which, const Values& values) {
        std::size_t next = 0;
        each(which, [&](Real& x) { x = static_cast<Real>(values.at(next++)); });
        REQUIRE(next == values.size());
    }

    Values read(Which which) {
        Values values;
        each(which, [&](Real& x) { values.push_back(static_cast<double>(x)); });
        return values;
    }

    std::array<Network*, 2> networks() { return {&first_, &second_}; }

private:
    template <class F>
    void each(Which which, F f) {
        for (Network* network : networks()) {
            for (const Parameter& parameter : network->layout.parameters) {
                const std::array<const Slab*, 4> slabs = {&network->live, &network->gradient, &network->moment1,
                                                          &network->moment2};
                for (Real& x : span_of<Real>(*slabs[which], parameter)) {
                    f(x);
                }
            }
        }
    }

    Network first_ = make_network("actor", {parameter("0.weight", {2, 3}), parameter("0.bias", {2})}, kRealType<Real>);
    Network second_ = make_network("critic", {parameter("log_std", {9})}, kRealType<Real>);
};

// The largest |ours - theirs|, each relative to the largest magnitude that the element has had, which its rounding
// errors stem from: a parameter that passes through zero keeps the errors of where it came from.
double worst_difference(const Values& ours, const Values& theirs, Values& largest) {
    REQUIRE(ours.size() == theirs.size());
    largest.resize(ours.size());
    double worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        largest[i] = std::max(largest[i], std::abs(theirs[i]));
        if (ours[i] != theirs[i]) {
            worst = std::max(worst, std::abs(ours[i] - theirs[i]) / largest[i]);
        }
    }
    return worst;
}

struct Tolerances {
    double norm;
    double parameters;
    double moments;
};

template <class Real>
void compare(const Case& golden, const Tolerances& tolerances) {
    Pair<Real> pair;
    const DType real = kRealType<Real>;
    const Values live = {golden.lr[0], golden.betas[0], golden.betas[1], golden.eps[0]};
    const OptimiserPlan plan{.lr = 0, .beta1 = 1, .beta2 = 2, .eps = 3, .clip_norm = golden.max_norm[0]};
    pair.write(Pair<Real>::kLive, golden.initial);
    Values largest, moment1, moment2;
    CAPTURE(golden.name, golden.dtype);
    CHECK(worst_difference(pair.read(Pair<Real>::kLive), golden.initial, largest) == 0);
    REQUIRE(golden.steps.size() == 10);
    for (const Step& step : golden.steps) {
        pair.write(Pair<Real>::kGradient, step.gradient);
        const double norm = gradient_norm(pair.networks(), real);
        CHECK(std::abs(norm - step.norm.at(0)) <= tolerances.norm * norm);
        clip_gradients(pair.networks(), real, norm, plan.clip_norm);
        for (Network* network : pair.networks()) {
            adam_step(*network, real, plan, live);
        }
        CHECK(worst_difference(pair.read(Pair<Real>::kLive), step.parameters, largest) <= tolerances.parameters);
        CHECK(worst_difference(pair.read(Pair<Real>::kMoment1), step.moment1, moment1) <= tolerances.moments);
        CHECK(worst_difference(pair.read(Pair<Real>::kMoment2), step.moment2, moment2) <= tolerances.moments);
    }
}

TEST_CASE("Adam with clipping is torch's in float64") {
    for (const Case& golden : read_cases("f64")) {
        compare<double>(golden, {.norm = 1e-15, .parameters = 1e-15, .moments = 1e-15});
    }
}

// Torch sums the norm of float32 gradients in float32, we in double: one unit in the last place apart, which the second
// moment squares; parameters stay within two units.
TEST_CASE("Adam with clipping is torch's in float32") {
    for (const Case& golden : read_cases("f32")) {
        compare<float>(golden, {.norm = 1.2e-7, .parameters = 2.4e-7, .moments = 6e-7});
    }
}

}  // namespace
}  // namespace tenon
