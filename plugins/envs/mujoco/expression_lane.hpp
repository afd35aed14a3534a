// SPDX-License-Identifier: Apache-2.0
// One lane of an env whose observation, reward and end are expressions.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "program.hpp"
#include "renderer.hpp"
#include "simulator.hpp"
#include "tenon/env.hpp"

namespace physics {

struct Expressions {
    std::vector<std::string> observation;
    std::string reward;
    std::string terminated;
    std::vector<std::pair<std::string, std::size_t>> inputs = {};  // names and lengths
};

// The compiled expressions, the same for all lanes.
struct Compiled {
    Program program;
    std::vector<Slot> observed;
    Slot reward, terminated;
    std::size_t elements = 0;  // of the observation
};

struct ExpressionLane {
    Model model;
    Data data;
    std::shared_ptr<const Compiled> compiled;
    std::vector<double> registers = {};
    std::vector<double> saved = {};

    // For the first lane, and for the others.
    static ExpressionLane make(Model model, const Expressions& expressions, double dt);
    [[nodiscard]] ExpressionLane another() const;

    [[nodiscard]] tenon::EnvSpec spec(const std::string& dtype) const;
    [[nodiscard]] std::span<double> input(std::size_t number);

    // After the state of a new episode has been set, and everything that derives from it has been computed.
    void begin();
    tenon::StepResult step(std::span<const float> action, int substeps);
    void show(const tenon::EnvRow& row, const std::string& dtype) const;
    void archive(tenon::Archive& archive);
    void draw(Renderer& renderer, tenon::Picture& picture) const;
};

}  // namespace physics
