// SPDX-License-Identifier: Apache-2.0
#include "gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/finite_difference.hpp"

namespace tenon::test {
namespace {

template <class F>
void each_number(const Network& network, const Slab& slab, F f) {
    auto* const data = slab.as<double>();
    for (const Parameter& parameter : network.layout.parameters) {
        if (parameter.trainable) {
            std::for_each(data + parameter.offset, data + parameter.offset + parameter.size, f);
        }
    }
}

double largest_of(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) {
        largest = std::max(largest, std::abs(value));
    }
    return largest;
}

}  // namespace

std::vector<double> numbers(const Network& network, const Slab& slab) {
    std::vector<double> out;
    each_number(network, slab, [&](double x) { out.push_back(x); });
    return out;
}

void set_numbers(const Network& network, const Slab& slab, std::span<const double> numbers) {
    std::size_t next = 0;
    each_number(network, slab, [&](double& x) { x = numbers[next++]; });
    REQUIRE(next == numbers.size());
}

double loss_of(const Assembly& assembly, const Outcome& outcome, std::string_view stage) {
    const graph::Graph& graph = assembly.update.graph;
    double total = 0;
    std::size_t terms = 0;
    for (const graph::Loss& loss : graph.losses) {
        if (graph.stages[loss.stage].name == stage) {
            total += outcome.losses.at(loss.name);
            ++terms;
        }
    }
    REQUIRE(terms > 0);
    return total;
}

std::vector<double> differences(Assembly& assembly, const FilledBatch& batch, std::string_view stage,
                                std::string_view role, Moment moment) {
    const Network& network = assembly.network(role);
    const std::vector<double> start = numbers(network, network.live);
    const auto loss = [&](std::span<const double> at) {
        set_numbers(network, network.live, at);
        return loss_of(assembly, assembly.run(batch, moment), stage);
    };
    std::vector<double> out = finite_difference(loss, start);
    set_numbers(network, network.live, start);
    return out;
}

GradientCheck check_gradients(Assembly& assembly, const FilledBatch& batch, Moment moment) {
    GradientCheck out{.smallest_network = std::numeric_limits<double>::infinity()};
    for (std::size_t stage = 0; stage < assembly.stages.size(); ++stage) {
        for (const std::uint32_t owned : assembly.stages[stage].owned) {
            const Network& network = assembly.learner.networks[owned];
            const std::vector<double> start = numbers(network, network.live);
            assembly.run(batch, moment);
            REQUIRE(numbers(network, network.live) == start);
            const std::vector<double> computed = numbers(network, network.gradient);
            const std::vector<double> expected =
                differences(assembly, batch, assembly.update.graph.stages[stage].name, network.layout.role, moment);
            const double largest = largest_of(expected);
            REQUIRE(computed.size() == expected.size());
            for (std::size_t i = 0; i < computed.size(); ++i) {
                const double scale = std::max(std::abs(expected[i]), largest / 100);
                const double error = std::abs(computed[i] - expected[i]) / scale;
                out.worst = std::isnan(error) ? error : std::max(out.worst, error);
            }
            out.largest = std::max(out.largest, largest);
            out.smallest_network = std::min(out.smallest_network, largest);
        }
    }
    return out;
}

}  // namespace tenon::test
