// SPDX-License-Identifier: Apache-2.0
// Optimisers and clipping, step by step against torch's numbers (tests/golden/optimisers.txt).
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "compute/parameters/clip.hpp"
#include "compute/parameters/optimiser.hpp"
#include "small_network.hpp"
#include "support/catch.hpp"

namespace optimiser_golden_test {

using namespace tenon;

namespace {

using test::kRealType;
using test::make_network;
using test::parameter;
using test::span_of;

using Values = std::vector<double>;

struct Step {
    Values gradient, norm, parameters;
    std::map<std::string, Values> state;
};

struct Case {
    std::string name, kind, dtype;
    std::map<std::string, Values> options;
    Values max_norm, initial;
    std::vector<Step> steps;
};

// Which list of numbers a line belongs to; each gradient begins a step.
Values& place_of(Case& now, const std::string& key) {
    if (key == "gradient") {
        return now.steps.emplace_back().gradient;
    }
    if (now.steps.empty()) {
        return key == "max_norm" ? now.max_norm : key == "initial" ? now.initial : now.options[key];
    }
    Step& step = now.steps.back();
    return key == "norm" ? step.norm : key == "parameters" ? step.parameters : step.state[key];
}

std::vector<Case> read_cases(const std::string& dtype) {
    std::ifstream file(TENON_GOLDEN_DIR "/optimisers.txt");
    REQUIRE(file);
    std::vector<Case> cases;
    for (std::string text; std::getline(file, text);) {
        std::istringstream line(text);
        std::string key;
        line >> key;
        if (key == "case") {
            line >> cases.emplace_back().name;
        } else if (key == "kind" && !cases.empty()) {
            line >> cases.back().kind;
        } else if (key == "dtype" && !cases.empty()) {
            line >> cases.back().dtype;
        } else if (!cases.empty() && key != "end") {
            Values& values = place_of(cases.back(), key);
            for (double value = 0; line >> value;) {
                values.push_back(value);
            }
        }
    }
    std::erase_if(cases, [&](const Case& each) { return each.dtype != dtype; });
    REQUIRE(cases.size() == 20);
    return cases;
}

struct Rule {
    OptimiserPlan plan;
    Values live;
};

Rule rule_of(const Case& golden) {
    Rule out;
    const auto add = [&](const char* name) {
        const auto given = golden.options.find(std::string("option.") + name);
        out.live.push_back(given == golden.options.end() ? 0 : given->second.at(0));
        return static_cast<std::uint32_t>(out.live.size() - 1);
    };
    const auto is_set = [&](const char* name) { return out.live[add(name)] != 0; };
    const std::uint32_t lr = add("lr");
    const std::uint32_t weight_decay = add("weight_decay");
    const std::uint32_t eps = add("eps");
    const std::uint32_t momentum = add("momentum");
    if (golden.kind == "sgd") {
        out.plan.rule = SgdPlan{.lr = lr,
                                .momentum = momentum,
                                .dampening = add("dampening"),
                                .weight_decay = weight_decay,
                                .nesterov = is_set("nesterov"),
                                .keeps_momentum = is_set("momentum")};
    } else if (golden.kind == "rmsprop") {
        out.plan.rule = RmspropPlan{.lr = lr,
                                    .alpha = add("alpha"),
                                    .eps = eps,
                                    .momentum = momentum,
                                    .weight_decay = weight_decay,
                                    .centered = is_set("centered"),
                                    .keeps_momentum = is_set("momentum")};
    } else if (golden.kind == "lamb") {
        out.plan.rule =
            LambPlan{.lr = lr, .beta1 = add("beta1"), .beta2 = add("beta2"), .eps = eps, .weight_decay = weight_decay};
    } else {
        out.plan.rule = AdamPlan{.lr = lr,
                                 .beta1 = add("beta1"),
                                 .beta2 = add("beta2"),
                                 .eps = eps,
                                 .weight_decay = weight_decay,
                                 .decoupled = golden.kind == "adamw"};
    }
    out.plan.clip_norm = golden.max_norm.at(0);
    return out;
}

// The tensors stand in two networks, as an actor and a critic do that are clipped together.
template <class Real>
class Pair {
public:
    explicit Pair(const OptimiserPlan& plan) {
        for (Network* network : networks()) {
            REQUIRE(begin_optimiser(*network, kRealType<Real>, plan));
        }
    }

    // slab(network) is the one that is meant.
    template <class Slab>
    void write(Slab slab, const Values& values) {
        std::size_t next = 0;
        each(slab, [&](Real& x) { x = static_cast<Real>(values.at(next++)); });
        REQUIRE(next == values.size());
    }

    template <class Slab>
    Values read(Slab slab) {
        Values values;
        each(slab, [&](Real& x) { values.push_back(static_cast<double>(x)); });
        return values;
    }

    std::array<Network*, 2> networks() { return {&first_, &second_}; }

private:
    template <class Slab, class F>
    void each(Slab slab, F f) {
        for (Network* network : networks()) {
            for (const Parameter& parameter : network->layout.parameters) {
                for (Real& x : span_of<Real>(slab(*network), parameter)) {
                    f(x);
                }
            }
        }
    }

    Network first_ = make_network("actor", {parameter("0.weight", {2, 3}), parameter("0.bias", {2})}, kRealType<Real>);
    Network second_ = make_network("critic", {parameter("log_std", {9})}, kRealType<Real>);
};

const Slab& live_of(const Network& network) {
    return network.live;
}

const Slab& gradient_of(const Network& network) {
    return network.gradient;
}

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
    double state;
};

template <class Real>
void compare(const Case& golden, const Tolerances& tolerances) {
    const DType real = kRealType<Real>;
    const Rule rule = rule_of(golden);
    Pair<Real> pair(rule.plan);
    pair.write(live_of, golden.initial);
    Values largest;
    std::map<std::string, Values> largest_state;
    CAPTURE(golden.kind, golden.name, golden.dtype);
    CHECK(worst_difference(pair.read(live_of), golden.initial, largest) == 0);
    REQUIRE(golden.steps.size() == 6);
    for (const Step& step : golden.steps) {
        pair.write(gradient_of, step.gradient);
        const double norm = gradient_norm(pair.networks(), real);
        CHECK(std::abs(norm - step.norm.at(0)) <= tolerances.norm * norm);
        clip_gradients(pair.networks(), real, norm, rule.plan.clip_norm);
        for (Network* network : pair.networks()) {
            optimiser_step(*network, real, rule.plan, rule.live);
        }
        CHECK(worst_difference(pair.read(live_of), step.parameters, largest) <= tolerances.parameters);
        const auto names = state_names(rule.plan);
        REQUIRE(names.size() == step.state.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            const std::string name = "state." + std::string(names[i]);
            CAPTURE(name);
            const Values ours =
                pair.read([&](const Network& network) -> const Slab& { return network.optimiser_state[i].slab; });
            CHECK(worst_difference(ours, step.state.at(name), largest_state[name]) <= tolerances.state);
        }
    }
}

// A penalty that nearly cancels the gradient leaves the rounding of both in the moments.
TEST_CASE("optimisers with clipping are torch's, LAMB timm's, in float64") {
    for (const Case& golden : read_cases("f64")) {
        compare<double>(golden, {.norm = 1e-15, .parameters = 1e-15, .state = 4e-15});
    }
}

// Torch sums the norm of float32 gradients in float32, we in double: two units in the last place apart, which the
// second moment squares; parameters stay within two units.
TEST_CASE("optimisers with clipping are torch's, LAMB timm's, in float32") {
    for (const Case& golden : read_cases("f32")) {
        compare<float>(golden, {.norm = 2.4e-7, .parameters = 2.4e-7, .state = 6e-7});
    }
}

}  // namespace
}  // namespace optimiser_golden_test
