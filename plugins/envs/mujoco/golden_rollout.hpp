// SPDX-License-Identifier: Apache-2.0
// Reads what was recorded of a reference (golden/*.txt) and steps one lane of ours in step with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "find_model.hpp"
#include "support/catch.hpp"
#include "support/plugin_columns.hpp"
#include "support/plugin_instance.hpp"
#include "tenon/bind_options.hpp"
#include "tenon/env_spec.hpp"

namespace tenon::test {

// One lane of an env on columns of two slots: actions at slot 0, observations and infos at slot 1.
template <class Env>
class OneLane {
public:
    explicit OneLane(const std::function<void(OptionValues<Env>&)>& change) : columns_(2, 1) {
        OptionTable options{std::type_identity<Env>()};
        change(options);
        const tn_create_args args = {.struct_size = sizeof(tn_create_args),
                                     .lanes = 1,
                                     .host = &host_.table(),
                                     .options = options.pointers().data(),
                                     .option_count = options.pointers().size(),
                                     .key = {}};
        configure(env, args);
        spec_ = env.spec();
        table_ = SpecTable(spec_.all());
        columns_.add(table_.data(), table_.size());
        bound_ = EnvColumns(spec_, {columns_.data(), columns_.size()}, 2, 1);
    }

    [[nodiscard]] EnvRow row() const { return {bound_, 0, 0, 1}; }
    [[nodiscard]] const EnvSpec& spec() const { return spec_; }

    // As tests/golden/generate/mujoco_*.py compute it.
    void act(std::uint64_t step) {
        const Spec& spec = spec_.actions[0];
        for (std::size_t i = 0; i < spec.low.size(); ++i) {
            const std::uint64_t mixed = (step * 7919 + i * 104729 + 12345) * 2654435761U;
            const double share = static_cast<double>(mixed >> 8 & 0xFFFFFF) / 16777216.0;
            columns_.at<float>("action", 0, 0, i) =
                static_cast<float>(spec.low[i] + (spec.high[i] - spec.low[i]) * (1.25 * share - 0.125));
        }
    }

    [[nodiscard]] std::span<const double> observation() const { return row().template observation<double>(0); }

    Env env;

private:
    PluginHost host_;
    EnvSpec spec_;
    SpecTable table_;
    PluginColumns columns_;
    EnvColumns bound_;
};

// The models are in Python packages (.deps/python, which ./test brings): without them, the reason of the skip is
// printed.
inline void need_package(const std::string& package, const std::string& file) {
    try {
        physics::find_in_package(package, file, package);
    } catch (const InvalidArgument& error) {
        SKIP(error.what());
    }
}
inline void need_gymnasium() {
    need_package("gymnasium", "envs/mujoco/assets/ant.xml");
}
inline void need_dm_control() {
    need_package("dm_control", "suite/cheetah.xml");
}

// The lines of a recording.
struct GoldenLine {
    std::string word;
    std::istringstream rest;

    std::vector<double> numbers() {
        std::vector<double> values;
        for (std::string text; rest >> text;) {
            values.push_back(std::stod(text));
        }
        return values;
    }
};

template <class Visit>
void for_each_golden_line(const std::string& name, Visit&& visit) {
    std::ifstream file(TENON_GOLDEN_DIR "/" + name + ".txt");
    REQUIRE(file.is_open());
    for (std::string text; std::getline(file, text);) {
        GoldenLine line{{}, std::istringstream(text)};
        line.rest >> line.word;
        if (line.word != "#") {
            INFO(name << ": " << text.substr(0, 200));
            visit(line);
        }
    }
}

inline double weighted_sum(std::span<const double> values) {
    double total = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        total += static_cast<double>(1 + i % 7) * values[i];
    }
    return total;
}

}  // namespace tenon::test
