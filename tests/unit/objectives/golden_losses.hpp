// SPDX-License-Identifier: Apache-2.0
// An objective of sequences against golden values: its losses, its metrics and the gradients of all parameters. A case
// has columns and parameters by name, "draw/STREAM", "loss/NAME", "metric/NAME", "gradient/ROLE/NAME" and
// "target/ROLE/NAME".
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "assembly.hpp"
#include "golden.hpp"
#include "support/catch.hpp"

namespace tenon::test {

inline void set_parameter(const Slab& slab, const Parameter& parameter, const std::vector<double>& values) {
    REQUIRE(values.size() == parameter.size);
    std::ranges::copy(values, slab.as<double>() + parameter.offset);
}

inline void check_losses(const GoldenCase& golden, Plan plan, const Sizes& sizes, std::size_t losses,
                         double tolerance) {
    CAPTURE(golden.name, plan.compiled);
    Assembly assembly(std::move(plan));
    FilledBatch batch(assembly.columns(), sizes, 1);
    for (const graph::Column& column : assembly.columns()) {
        batch.set(column.spec.key, golden[column.spec.key]);
    }
    for (const auto& [name, values] : golden.lists) {
        if (name.starts_with("draw/")) {
            assembly.draws[name.substr(5)] = values;
        }
    }
    assembly.build();
    for (Network& network : assembly.learner.networks) {
        for (const Parameter& parameter : network.layout.parameters) {
            const std::string name = network.layout.role + "/" + parameter.name;
            CAPTURE(name);
            if (!parameter.trainable) {
                continue;  // a state keeps its initial value
            }
            REQUIRE(golden.lists.contains(name));
            set_parameter(network.live, parameter, golden[name]);
            if (golden.lists.contains("target/" + name)) {
                set_parameter(network.target, parameter, golden["target/" + name]);
            }
        }
    }
    assembly.load();
    const Outcome outcome = assembly.run(batch);
    CHECK(outcome.losses.size() == losses);
    for (const auto& [name, loss] : outcome.losses) {
        CAPTURE(name);
        CHECK(worst_difference({loss}, golden["loss/" + name]) <= tolerance);
    }
    for (const auto& [name, values] : golden.lists) {
        if (name.starts_with("metric/")) {
            CHECK(worst_difference({outcome.metrics.at(name.substr(7))}, values) <= tolerance);
        }
    }
    for (const Network& network : assembly.learner.networks) {
        for (const Parameter& parameter : network.layout.parameters) {
            CAPTURE(network.layout.role, parameter.name);
            if (!parameter.trainable) {
                continue;
            }
            const double* first = network.gradient.as<double>() + parameter.offset;
            const std::vector<double> computed(first, first + parameter.size);
            CHECK(worst_difference(computed, golden["gradient/" + network.layout.role + "/" + parameter.name]) <=
                  10 * tolerance);
        }
    }
}

}  // namespace tenon::test
