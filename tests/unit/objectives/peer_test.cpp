// SPDX-License-Identifier: Apache-2.0
// Every objective against what TorchRL computes from the same parameters, batch and draws (tests/golden/objectives):
// losses, gradients of every stage, columns written, targets after a step. A text file there is tested by being there.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "peer_rig.hpp"
#include "support/catch.hpp"

namespace peer_test {

using namespace tenon;
using namespace tenon::test;

namespace {

// What a case expects, held against what came out; every difference is a line of the report.
class Comparison {
public:
    Comparison(std::string where, double tolerance) : where_(std::move(where)), tolerance_(tolerance) {}

    // Off by at most the tolerance times the norm, or times `floor` where that is more.
    void same(const std::string& what, const std::vector<double>& have, const std::vector<double>& wanted,
              double floor = 0) {
        if (have.size() != wanted.size()) {
            say(what + " has " + std::to_string(have.size()) + " numbers, the peer's " + std::to_string(wanted.size()));
            return;
        }
        double error = 0;
        std::size_t worst = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            error += (have[i] - wanted[i]) * (have[i] - wanted[i]);
            worst = std::abs(have[i] - wanted[i]) > std::abs(have[worst] - wanted[worst]) ? i : worst;
        }
        const double norm = norm_of(wanted);
        if (!(std::sqrt(error) <= tolerance_ * std::max(norm, floor))) {
            say(what + " is off by " + text(std::sqrt(error) / norm, 3) + " of its norm; element " +
                std::to_string(worst) + " is " + text(have[worst]) + ", the peer's " + text(wanted[worst]));
        }
    }

    // Every expected tensor has one, by the same name and the other way round. Tensors much smaller than the largest
    // may be the rounding of what cancels, such as the gradient of a bias before a normalisation.
    void same(const std::string& kind, const std::vector<PeerTensor>& have, const std::vector<PeerTensor>& wanted,
              double of_largest = 0) {
        double floor = 0;
        for (const PeerTensor& tensor : wanted) {
            floor = std::max(floor, of_largest * norm_of(tensor.values));
        }
        for (const PeerTensor& tensor : wanted) {
            const auto found = std::ranges::find(have, tensor.name, &PeerTensor::name);
            if (found == have.end()) {
                say(kind + " " + tensor.name + ": there is none");
            } else {
                same(kind + " " + tensor.name, found->values, tensor.values, floor);
            }
        }
        for (const PeerTensor& tensor : have) {
            if (std::ranges::find(wanted, tensor.name, &PeerTensor::name) == wanted.end()) {
                say(kind + " " + tensor.name + ": the case does not expect it");
            }
        }
    }

    [[nodiscard]] const std::string& report() const { return report_; }

private:
    static double norm_of(const std::vector<double>& values) {
        return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
    }
    static std::string text(double value, int digits = 12) {
        std::array<char, 40> out{};
        std::snprintf(out.data(), out.size(), "%.*g", digits, value);
        return out.data();
    }
    void say(const std::string& line) { report_ += "\n" + where_ + ": " + line; }

    std::string where_;
    double tolerance_;
    std::string report_;
};

std::vector<PeerTensor> tensors(const std::map<std::string, double>& numbers) {
    std::vector<PeerTensor> out;
    for (const auto& [name, value] : numbers) {
        if (!std::isnan(value)) {  // of a stage that is not due
            out.push_back({name, {value}});
        }
    }
    return out;
}

std::vector<PeerTensor> tensors(const Columns& columns) {
    std::vector<PeerTensor> out;
    for (const auto& [name, values] : columns) {
        out.push_back({name, values});
    }
    return out;
}

void compare_update(Assembly& assembly, const PeerCase& golden, DType real, Comparison& comparison) {
    assembly.build();
    feed(assembly, golden);
    assembly.load();
    set_parameters(assembly, golden, real);
    const Outcome outcome = assembly.run(batch_of(assembly, golden), {.updates = golden.updates});
    comparison.same("loss", tensors(outcome.losses), golden.losses);
    comparison.same("written", tensors(outcome.columns), golden.written);
    comparison.same("gradient", gradients(assembly, outcome, real), golden.gradients,
                    real == DType::kF64 ? 0.01 : 0.05);
    comparison.same("moved target", targets(assembly, real), golden.moved);
    comparison.same("state", states(assembly, real), golden.states);
    for (const PeerTensor& metric : golden.metrics) {
        CAPTURE(golden.name, metric.name);
        REQUIRE(outcome.metrics.contains(metric.name));
        comparison.same("metric " + metric.name, {outcome.metrics.at(metric.name)}, metric.values);
    }
}

void compare_forward(Assembly& assembly, const PeerCase& golden, DType real, Comparison& comparison) {
    assembly.build_forward(golden.function, {graph::kTime, graph::kLanes});  // gives the networks their slabs
    for (const PeerTensor& draw : golden.draws) {
        assembly.draws[draw.name] = draw.values;
    }
    set_parameters(assembly, golden, real);
    comparison.same("written", tensors(assembly.forward(golden.function, batch_of(assembly, golden))), golden.written);
    for (const PeerTensor& metric : golden.metrics) {
        CAPTURE(golden.name, metric.name);
        REQUIRE(assembly.forward_metrics.contains(metric.name));
        // a share of 1: where it is nearly 0, what is left is rounding
        comparison.same("metric " + metric.name, {assembly.forward_metrics.at(metric.name)}, metric.values, 1);
    }
}

struct Way {
    DType real;
    double tolerance;
    bool compiled;
};

std::string report_of(const PeerCase& golden, const Way& way, const std::string& where) {
    const DType real = way.real;
    Comparison comparison(where, way.tolerance);
    Plan plan = plan_in(golden, real);
    plan.compiled = way.compiled;
    Assembly assembly(std::move(plan));
    (golden.function == "update" ? compare_update : compare_forward)(assembly, golden, real, comparison);
    return comparison.report();
}

void check_all(const Way& way) {
    for (const std::string& file : peer_files()) {
        const std::vector<PeerCase> cases = read_peer_cases(file);
        CHECK(!cases.empty());
        for (const PeerCase& golden : cases) {
            CAPTURE(file, golden.name);
            const std::string report = report_of(golden, way, file + ", case " + golden.name);
            INFO(report);
            CHECK(report.empty());
        }
    }
}

}  // namespace

TEST_CASE("objectives are TorchRL's", "[peer]") {
    check_all({.real = DType::kF64, .tolerance = 1e-9, .compiled = false});
}

// Sums of libtorch differ by processor: a normalised advantage is 1.2e-5 off on some.
TEST_CASE("objectives are TorchRL's in float32, rounding apart", "[peer]") {
    check_all({.real = DType::kF32, .tolerance = 2e-5, .compiled = false});
}

TEST_CASE("compiled objectives are TorchRL's", "[peer]") {
    check_all({.real = DType::kF64, .tolerance = 1e-9, .compiled = true});
}

TEST_CASE("compiled objectives are TorchRL's in float32, rounding apart", "[peer]") {
    check_all({.real = DType::kF32, .tolerance = 1e-5, .compiled = true});
}

TEST_CASE("a comparison says which tensor is off by how much") {
    Comparison comparison("here", 1e-3);
    comparison.same("loss", {{"a", {1, 2}}, {"b", {3}}}, {{"a", {1, 2.001}}, {"b", {3}}});
    CHECK(comparison.report().empty());
    comparison.same("loss", {{"a", {1, 2}}, {"b", {NAN}}, {"d", {1}}}, {{"a", {1, 2.01}}, {"b", {3}}, {"c", {1}}});
    CHECK(comparison.report() ==
          "\nhere: loss a is off by 0.00445 of its norm; element 1 is 2, the peer's 2.01"
          "\nhere: loss b is off by nan of its norm; element 0 is nan, the peer's 3"
          "\nhere: loss c: there is none"
          "\nhere: loss d: the case does not expect it");
}

}  // namespace peer_test
