// SPDX-License-Identifier: Apache-2.0
// Reads the steps recorded from Gymnasium (golden/*.txt) and measures the differences from ours.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/bind_options.hpp"

namespace tenon::test {

struct GoldenStep {
    std::string variant;
    bool first = false;  // of its episode
    double action = 0;
    std::vector<double> before;
    std::vector<double> after;
    std::vector<float> observation;
    double reward = 0;
    bool terminated = false;
};

// An env configured as by the host, with one option changed.
template <class T>
T configured(const std::function<void(OptionValues<T>&)>& change) {
    PluginHost host;
    OptionTable options{std::type_identity<T>()};
    change(options);
    const tn_create_args args = {.struct_size = sizeof(tn_create_args),
                                 .lanes = 1,
                                 .host = &host.table(),
                                 .options = options.pointers().data(),
                                 .option_count = options.pointers().size(),
                                 .key = {}};
    T env{};
    configure(env, args);
    return env;
}

template <class Visit>
void for_each_golden_step(const std::string& name, std::size_t numbers, std::size_t observed, std::int64_t limit,
                          Visit&& visit) {
    std::ifstream file(TENON_GOLDEN_DIR "/" + name + ".txt");
    REQUIRE(file.is_open());
    GoldenStep step;
    step.after.resize(numbers);
    step.observation.resize(observed);
    const auto read = [](std::istream& in, auto& values) {
        for (auto& value : values) {
            in >> value;
        }
    };
    for (std::string line; std::getline(file, line);) {
        std::istringstream in(line);
        std::string word;
        in >> word;
        if (word == "limit") {
            CHECK(line == "limit " + std::to_string(limit));
        } else if (word == "start") {
            in >> step.variant;
            read(in, step.after);
            REQUIRE(!in.fail());
            step.first = true;
        } else if (word != "#") {
            step.before = step.after;
            step.action = std::stod(word);
            read(in, step.after);
            read(in, step.observation);
            in >> step.reward >> step.terminated;
            REQUIRE(!in.fail());
            CAPTURE(line);
            visit(step);
            step.first = false;
        }
    }
}

// The number of steps and the accuracy of their results: `ulps` counts units in the last place of the larger one of the
// golden states before and after the step, because a step is a sum of the two.
struct Nearness {
    int steps = 0;
    int equal = 0;
    int ends = 0;
    double ulps = 0;

    void add(const GoldenStep& golden, std::span<const double> after, std::span<const float> observation, double reward,
             bool terminated) {
        bool same = true;
        for (std::size_t i = 0; i < after.size(); ++i) {
            const double size = std::max(std::abs(golden.before[i]), std::abs(golden.after[i]));
            ulps = std::max(ulps, std::abs(after[i] - golden.after[i]) / (std::nextafter(size, INFINITY) - size));
            same = same && after[i] == golden.after[i];
        }
        for (std::size_t i = 0; i < observation.size(); ++i) {
            CHECK_THAT(observation[i], Catch::Matchers::WithinULP(golden.observation[i], 1));
        }
        CHECK_THAT(static_cast<float>(reward), Catch::Matchers::WithinULP(static_cast<float>(golden.reward), 1));
        CHECK(terminated == golden.terminated);
        ++steps;
        equal += same ? 1 : 0;
        ends += terminated ? 1 : 0;
    }
};

}  // namespace tenon::test
